// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import io.fathom.wire.kube.tree.Field;
import java.util.Optional;

/// Reads one kind. Throws [io.fathom.wire.kube.tree.MisreadException] at the first thing that is wrong.
@FunctionalInterface
public interface KindReader {
    Manifest read(Metadata metadata, Field object, Interner interner);

    /// What is in force of an object that has mistakes. Empty when the object is refused as a whole; a kind that
    /// protects something has an answer that allows no more than its author can have meant.
    default Optional<Manifest> readDamaged(Metadata metadata, Field object, Mistakes mistakes, Interner interner) {
        return Optional.empty();
    }

    /// Whether objects of this kind protect something. Then one of which only the name can be read is in force, too.
    default boolean protects() {
        return false;
    }

    /// Whether the object is of any interest; nothing is kept of others.
    default boolean concerns(Field object) {
        return true;
    }
}
