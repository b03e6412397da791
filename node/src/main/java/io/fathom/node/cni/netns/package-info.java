// SPDX-License-Identifier: Apache-2.0
/// Finds the network namespaces of pods, and looks into them.
///
/// Entry: [io.fathom.node.cni.netns.NamespaceFinder] and [io.fathom.node.cni.netns.NamespaceView]. For any thread;
/// calls block. Knows pods by their UIDs and addresses only.
@NullMarked
package io.fathom.node.cni.netns;

import org.jspecify.annotations.NullMarked;
