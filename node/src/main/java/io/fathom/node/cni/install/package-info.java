// SPDX-License-Identifier: Apache-2.0
/// Puts the CNI plugin onto a node and keeps it there: its files, its kubeconfig and its entry in the network
/// configuration; and takes all of it away again.
///
/// Entry: [io.fathom.node.cni.install.Installation], which works on a thread of its own. What is right and what is to
/// be written is decided by pure code ([io.fathom.node.cni.install.NetworkLists],
/// [io.fathom.node.cni.install.Upgrade]). Knows nothing about pods.
@NullMarked
package io.fathom.node.cni.install;

import org.jspecify.annotations.NullMarked;
