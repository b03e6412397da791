// SPDX-License-Identifier: Apache-2.0
/// A client of Kubernetes API servers.
///
/// Entry: [io.fathom.wire.kube.api.KubeConfig] says where the server is and who we are,
/// [io.fathom.wire.kube.api.KubeClient] asks it, [io.fathom.wire.kube.api.ObjectWatch] follows objects of one kind and
/// [io.fathom.wire.kube.api.ClusterSource] gives manifests like a folder does. Everything blocks; start it on virtual
/// threads. Knows nothing about what objects mean.
@NullMarked
package io.fathom.wire.kube.api;

import org.jspecify.annotations.NullMarked;
