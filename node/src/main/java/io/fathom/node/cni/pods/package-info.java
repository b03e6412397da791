// SPDX-License-Identifier: Apache-2.0
/// Which pods of a node are to be captured: the pods and namespaces as their source tells them, and the pure decision.
///
/// Entry: [io.fathom.node.cni.pods.Eligibility] and [io.fathom.node.cni.pods.NodePods]. Knows nothing about rules,
/// namespaces of the kernel, or proxies.
@NullMarked
package io.fathom.node.cni.pods;

import org.jspecify.annotations.NullMarked;
