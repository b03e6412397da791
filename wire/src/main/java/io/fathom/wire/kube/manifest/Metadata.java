// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import java.time.Instant;
import java.util.Comparator;
import java.util.Map;

/// The part that all objects share.
///
/// @param created its age; where the object does not say, when its source first saw it
public record Metadata(
        ObjectKey key,
        String uid,
        Map<String, String> labels,
        Map<String, String> annotations,
        Instant created,
        Lifecycle lifecycle) {

    /// Whether a deletion timestamp is set.
    public enum Lifecycle {
        ACTIVE,
        TERMINATING
    }

    /// Oldest first; equal ages by key, so that no order of events shows in the result.
    public static final Comparator<Metadata> OLDEST_FIRST =
            Comparator.comparing(Metadata::created).thenComparing(Metadata::key);

    public Metadata {
        labels = Map.copyOf(labels);
        annotations = Map.copyOf(annotations);
    }
}
