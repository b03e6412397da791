// SPDX-License-Identifier: Apache-2.0
/// What all manifests have, and what all readers of them use.
///
/// Entry: [io.fathom.wire.kube.manifest.Manifest], [io.fathom.wire.kube.manifest.KindReader]. Manifests are immutable;
/// an [io.fathom.wire.kube.manifest.Interner] is for one thread. Knows no kind.
@NullMarked
package io.fathom.wire.kube.manifest;

import org.jspecify.annotations.NullMarked;
