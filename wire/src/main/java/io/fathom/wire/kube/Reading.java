// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.tree.Tree;
import java.util.List;
import java.util.Optional;

/// What one object of a document turned out to be.
public sealed interface Reading {
    /// An object that can be used.
    ///
    /// @param line where the object begins
    /// @param problems what its author should know: mistakes that cost less than the object
    /// @param object what it was read from, with the kind that a list around it may have said
    record Good(Manifest manifest, int line, List<ManifestProblem> problems, Tree object) implements Reading {
        public Good {
            problems = List.copyOf(problems);
        }
    }

    /// Of no interest to the mesh, at least not to this revision of it.
    ///
    /// @param kind `group/Kind`
    /// @param problems what its author should know all the same
    record Skipped(String kind, List<ManifestProblem> problems) implements Reading {
        public Skipped {
            problems = List.copyOf(problems);
        }

        public Skipped(String kind) {
            this(kind, List.of());
        }
    }

    /// An object that was refused.
    ///
    /// @param problems all its mistakes, at least one
    /// @param id which object it is, as far as that could be made out
    record Bad(List<ManifestProblem> problems, Optional<ManifestId> id) implements Reading {
        public Bad {
            problems = List.copyOf(problems);
        }
    }
}
