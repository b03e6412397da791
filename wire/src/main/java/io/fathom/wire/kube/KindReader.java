package io.fathom.wire.kube;

import io.fathom.wire.kube.tree.Field;

/// Reads one kind. Throws [io.fathom.wire.kube.tree.MisreadException] at the first thing that is wrong.
@FunctionalInterface
interface KindReader {
    Manifest read(Metadata metadata, Field object, Interner interner);

    /// Whether the object is of any interest; nothing is kept of others.
    default boolean concerns(Field object) {
        return true;
    }
}
