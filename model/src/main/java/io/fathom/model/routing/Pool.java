// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import org.jspecify.annotations.Nullable;

/// Gives equal values one identity, as well as it can in a bounded number of places: what is not seen again for long
/// makes room, so nothing has to be released. Grows with the mesh. For the one writer of a [MeshStore].
final class Pool {
    private static final int FEWEST = 1 << 10;
    private static final int MOST = 1 << 18;

    private @Nullable Object[] places = new @Nullable Object[FEWEST];
    private int displaced;

    /// An equal value seen before, or this one.
    @SuppressWarnings("unchecked") // an equal record, string or list is of the same type
    <T> T share(T value) {
        var at = place(value);
        var known = places[at];
        if (known != null && value.equals(known)) {
            return (T) known;
        }
        var older = places[at + 1];
        if (older != null && value.equals(older)) {
            return (T) older;
        }
        put(at, value);
        return value;
    }

    /// The newer one of a pair comes first.
    private int place(Object value) {
        var hash = value.hashCode() * 0x9E3779B9;
        return hash >>> 14 & (places.length - 2);
    }

    private void put(int at, Object value) {
        if (places[at + 1] != null && ++displaced > places.length / 8 && places.length < MOST) {
            grow();
            put(place(value), value);
            return;
        }
        places[at + 1] = places[at];
        places[at] = value;
    }

    private void grow() {
        var old = places;
        places = new @Nullable Object[old.length * 4];
        displaced = 0;
        for (var value : old) {
            if (value != null) {
                var at = place(value);
                places[at + 1] = places[at];
                places[at] = value;
            }
        }
    }
}
