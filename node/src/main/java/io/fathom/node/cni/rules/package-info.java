// SPDX-License-Identifier: Apache-2.0
/// The packet rules that send a pod's traffic to the node proxy, and those of the host that let its probes through.
/// Rules are data first: [PodPlan] and [HostPlan] make them from settings, without I/O; then iptables or nftables
/// write, compare and remove them. Entry: [NodeRules]. Any thread that has not left its network namespace; calls
/// block. Knows namespaces only as paths, and nothing about Kubernetes but the names of annotations.
@NullMarked
package io.fathom.node.cni.rules;

import org.jspecify.annotations.NullMarked;
