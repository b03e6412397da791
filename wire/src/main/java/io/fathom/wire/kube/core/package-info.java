// SPDX-License-Identifier: Apache-2.0
/// Kinds of Kubernetes itself: pods, Services, slices, namespaces, nodes, credentials.
///
/// Entry: [io.fathom.wire.kube.core.PodManifest], [io.fathom.wire.kube.core.ServiceManifest]. Immutable; readers run on
/// the thread of the source. Knows nothing about kinds of Istio.
@NullMarked
package io.fathom.wire.kube.core;

import org.jspecify.annotations.NullMarked;
