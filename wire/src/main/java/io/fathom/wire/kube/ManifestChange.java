// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;

/// What a source of manifests reports, in batches that take effect together.
public sealed interface ManifestChange {
    /// A new or changed object.
    record Put(Manifest manifest) implements ManifestChange {}

    /// An object that is gone; the class names its kind.
    record Remove(Class<? extends Manifest> kind, ObjectKey key) implements ManifestChange {}

    /// An object that somebody asked for by name and that is not there, or is there no more. Only sources that follow
    /// some kinds by name report it: until then nobody knows.
    record Absent(Class<? extends Manifest> kind, ObjectKey key) implements ManifestChange {}
}
