// SPDX-License-Identifier: Apache-2.0
/// Every kind of Kubernetes object that the mesh reads, and how objects become manifests.
///
/// Entry: [io.fathom.wire.kube.ManifestReader] makes them from a positioned tree (package `tree`), and
/// [io.fathom.wire.kube.ManifestKinds] has a row for each kind. A reader is for one thread. Kinds live in packages by
/// concern (`core`, `gateway`, `networking`, `security`, `telemetry`, `extension`, `meshconfig`), sources in `folder`
/// and `api`. Knows nothing about what is derived from manifests.
@NullMarked
package io.fathom.wire.kube;

import org.jspecify.annotations.NullMarked;
