package io.fathom.control.envoy;

import io.fathom.wire.kube.ObjectKey;
import java.util.Comparator;

/// A service of a proxy group.
///
/// @param service its resource name
record PartKey(ObjectKey group, String service) implements Comparable<PartKey> {
    private static final Comparator<PartKey> ORDER =
            Comparator.comparing(PartKey::group).thenComparing(PartKey::service);

    @Override
    public int compareTo(PartKey other) {
        return ORDER.compare(this, other);
    }
}
