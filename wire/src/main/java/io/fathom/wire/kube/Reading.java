package io.fathom.wire.kube;

import java.util.Optional;

/// What one object of a document turned out to be.
public sealed interface Reading {
    /// An object without a mistake.
    ///
    /// @param line where the object begins
    record Good(Manifest manifest, int line) implements Reading {}

    /// Of no interest to the mesh, at least not to this revision of it.
    ///
    /// @param kind `group/Kind`
    record Skipped(String kind) implements Reading {}

    /// An object that was refused.
    ///
    /// @param id which object it is, as far as that could be made out
    record Bad(ManifestProblem problem, Optional<ManifestId> id) implements Reading {}
}
