// SPDX-License-Identifier: Apache-2.0
/// A mesh on one machine: plays the controllers of Deployments and StatefulSets, scheduler, kubelet, kube-proxy and
/// primary network plugin for a folder of manifests, and keeps a control plane, node agents and node proxies running.
///
/// Entry: [io.fathom.tools.local.Engine], whose [io.fathom.tools.local.LocalCluster] has one thread. What it decides is
/// pure ([io.fathom.tools.local.folder.ReplicaPlanner], [io.fathom.tools.local.net.ServiceRules]). What it does, it
/// does with the tools of the system (`ip`, `nft`, `nsenter`, `unshare`), inside a process and a mount namespace of its
/// own, so that the kernel takes everything away with it. Knows nothing about what is behind the programs it starts.
@NullMarked
package io.fathom.tools.local;

import org.jspecify.annotations.NullMarked;
