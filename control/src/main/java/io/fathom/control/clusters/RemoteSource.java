// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.clusters;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/// Where the objects of another cluster come from. The first batch is the complete state, later ones hold differences;
/// one thread at a time brings them, none after [#close()] has returned.
public interface RemoteSource extends AutoCloseable {
    /// Objects that cannot be read.
    List<ManifestProblem> problems();

    /// Why some objects are not followed at the moment.
    List<Problem> trouble();

    /// How long ago the source was last heard of, at most; nothing while all is followed.
    Duration silence();

    @Override
    void close();

    /// Starts reading at once.
    @FunctionalInterface
    interface Opener {
        /// @throws io.fathom.base.lang.ProblemException when there is nothing to read from
        RemoteSource open(Consumer<List<ManifestChange>> sink);
    }
}
