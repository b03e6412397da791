// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import java.util.Map;
import java.util.Optional;

/// A Kubernetes object, reduced to what the mesh reads and checked on the way in. Not sealed, because kinds live in a
/// package for each concern: `ManifestKinds` has them all.
public interface Manifest {
    Metadata metadata();

    default ObjectKey key() {
        return metadata().key();
    }

    default String namespace() {
        return metadata().key().namespace();
    }

    default String name() {
        return metadata().key().name();
    }

    default Map<String, String> labels() {
        return metadata().labels();
    }

    default Map<String, String> annotations() {
        return metadata().annotations();
    }

    /// Whether somebody would be let in without it.
    default boolean protects() {
        return false;
    }

    /// Of an object that protects something and has mistakes.
    default Optional<Damage> damage() {
        return Optional.empty();
    }
}
