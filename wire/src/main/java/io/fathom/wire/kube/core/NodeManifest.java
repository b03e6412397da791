// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.core;

import io.fathom.model.mesh.Locality;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;

/// A Node: only where it stands counts, so that heartbeats change nothing.
///
/// @param metadata without labels and annotations
public record NodeManifest(Metadata metadata, Locality locality) implements Manifest {}
