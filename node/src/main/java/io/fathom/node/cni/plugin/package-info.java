// SPDX-License-Identifier: Apache-2.0
/// What the CNI plugin does when a container runtime calls it: decides whether a pod is to be captured and, if so, has
/// the node agent do it before the pod starts.
///
/// Entry: [io.fathom.node.cni.plugin.CniPlugin], one call on one thread. It is loaded anew for each call, so nothing
/// here may need a logger, a pool or a framework. Knows nothing about rules and namespaces: that is the agent's.
@NullMarked
package io.fathom.node.cni.plugin;

import org.jspecify.annotations.NullMarked;
