// SPDX-License-Identifier: Apache-2.0
/// Fathom on a real Kubernetes: kubelets, containerd and kube-proxy of `verify/kube`, started by `bin/up --kube` as a
/// user would.
///
/// Entry: [io.fathom.verify.cluster.KubeMesh]. Needs root; closing it removes everything.
@NullMarked
package io.fathom.verify.cluster;

import org.jspecify.annotations.NullMarked;
