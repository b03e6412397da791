package io.fathom.wire.kube;

/// Names one object among all kinds.
public record ManifestId(Class<? extends Manifest> kind, ObjectKey key) {
    public static ManifestId of(Manifest manifest) {
        return new ManifestId(manifest.getClass(), manifest.key());
    }

    /// How people write it: `Service shop/web`.
    @Override
    public String toString() {
        return kind.getSimpleName().replace("Manifest", "") + " " + key.path();
    }
}
