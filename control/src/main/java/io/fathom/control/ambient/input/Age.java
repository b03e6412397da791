// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.time.Instant;
import java.util.Comparator;

/// Decides between two objects that want the same: the older wins, and of equally old ones that with the smaller key.
/// The order of [Metadata#OLDEST_FIRST] without holding on to labels and annotations.
public record Age(Instant created, ObjectKey key) implements Comparable<Age> {
    private static final Comparator<Age> OLDEST_FIRST =
            Comparator.comparing(Age::created).thenComparing(Age::key);

    public static Age of(Metadata metadata) {
        return new Age(metadata.created(), metadata.key());
    }

    @Override
    public int compareTo(Age other) {
        return OLDEST_FIRST.compare(this, other);
    }
}
