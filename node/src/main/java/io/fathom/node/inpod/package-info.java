// SPDX-License-Identifier: Apache-2.0
/// In-pod mode: which pods of the node are served. [io.fathom.node.inpod.ZdsSession] hears of them from the CNI agent,
/// [io.fathom.node.inpod.PodRegistry] starts and stops a proxy for each. What a proxy does is behind
/// [io.fathom.node.inpod.PodProxyFactory]; nothing here touches traffic.
@NullMarked
package io.fathom.node.inpod;

import org.jspecify.annotations.NullMarked;
