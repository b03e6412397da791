// SPDX-License-Identifier: Apache-2.0
/// The node agent's side of ZDS: hands the pods of a node and their network namespaces to node proxies.
///
/// Entry: [io.fathom.node.cni.zds.ProxyServer]. One platform thread accepts, and each proxy has one of its own. Knows
/// nothing about how pods are captured.
@NullMarked
package io.fathom.node.cni.zds;

import org.jspecify.annotations.NullMarked;
