// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Comparator;

/// Names one object among all kinds and clusters. Sorted by kind, then by key.
public record ManifestId(Class<? extends Manifest> kind, ObjectKey key) implements Comparable<ManifestId> {
    private static final Comparator<ManifestId> ORDER = Comparator.comparing(ManifestId::kindName)
            .thenComparing(ManifestId::key)
            .thenComparing(id -> id.kind().getName());

    public static ManifestId of(Manifest manifest) {
        return new ManifestId(manifest.getClass(), manifest.key());
    }

    /// As manifests spell the kind.
    public String kindName() {
        return ManifestKinds.of(kind).kind();
    }

    /// How pages and messages of programs write it: `Service/shop/web`.
    public String path() {
        return kindName() + "/" + key.path();
    }

    @Override
    public int compareTo(ManifestId other) {
        return ORDER.compare(this, other);
    }

    /// How people write it: `Service shop/web`.
    @Override
    public String toString() {
        return kindName() + " " + key.path();
    }
}
