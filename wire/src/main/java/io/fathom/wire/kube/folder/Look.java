// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.wire.kube.manifest.ManifestProblem;
import io.fathom.wire.kube.tree.Document;
import java.util.List;

/// What a look at a file brought.
sealed interface Look {
    /// No stamp of a file: looked at again at every opportunity.
    long NO_STAMP = -1;

    /// No hash of a file's content.
    long NO_HASH = 0;

    /// Equal for looks that saw the same.
    long fingerprint();

    record Missing() implements Look {
        @Override
        public long fingerprint() {
            return 0;
        }
    }

    /// Written, but with the content that is known.
    record Unchanged(long stamp) implements Look {
        @Override
        public long fingerprint() {
            return stamp;
        }
    }

    /// Nothing in it can be used.
    record Faulty(long stamp, ManifestProblem problem) implements Look {
        @Override
        public long fingerprint() {
            return stamp * 31 + problem.hashCode();
        }
    }

    record Loaded(long stamp, long hash, List<Document> documents) implements Look {
        @Override
        public long fingerprint() {
            return hash;
        }
    }
}
