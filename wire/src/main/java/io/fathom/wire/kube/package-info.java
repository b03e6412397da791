// SPDX-License-Identifier: Apache-2.0
/// Kubernetes objects as records holding only what the mesh reads, and the places they come from.
///
/// Entry: [io.fathom.wire.kube.Manifest], and [io.fathom.wire.kube.ManifestReader] that makes them from a positioned
/// tree
/// (package `tree`). Package `folder` reads them from files. Knows nothing about what is derived from them.
@NullMarked
package io.fathom.wire.kube;

import org.jspecify.annotations.NullMarked;
