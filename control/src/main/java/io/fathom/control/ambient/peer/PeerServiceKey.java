// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.peer;

import java.util.Comparator;

/// A service of another cluster.
///
/// @param path `namespace/name`
public record PeerServiceKey(String cluster, String path) implements Comparable<PeerServiceKey> {
    private static final Comparator<PeerServiceKey> ORDER =
            Comparator.comparing(PeerServiceKey::path).thenComparing(PeerServiceKey::cluster);

    @Override
    public int compareTo(PeerServiceKey other) {
        return ORDER.compare(this, other);
    }
}
