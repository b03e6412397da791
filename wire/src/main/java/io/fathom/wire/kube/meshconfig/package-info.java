// SPDX-License-Identifier: Apache-2.0
/// The configuration of the whole mesh, and the providers that other kinds refer to.
///
/// Entry: [io.fathom.wire.kube.meshconfig.MeshConfigManifest]. Immutable; the reader runs on the thread of the source.
/// Knows nothing about settings of our programs.
@NullMarked
package io.fathom.wire.kube.meshconfig;

import org.jspecify.annotations.NullMarked;
