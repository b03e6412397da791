// SPDX-License-Identifier: Apache-2.0
/// A mesh on one machine: plays the controllers of Deployments and StatefulSets, scheduler, kubelet, kube-proxy and
/// primary network plugin for a folder of manifests, and keeps a control plane, node agents and node proxies running.
/// What it decides is pure ([io.fathom.tools.local.ReplicaPlanner], [io.fathom.tools.local.ServiceRules]); what it
/// does,
/// it does with the tools of the system (`ip`, `nft`, `nsenter`, `unshare`), inside a process and a mount namespace of
/// its own, so that the kernel takes everything away with it.
///
/// Entry: [io.fathom.tools.local.Engine].
@NullMarked
package io.fathom.tools.local;

import org.jspecify.annotations.NullMarked;
