package io.fathom.model.routing;

import org.jspecify.annotations.Nullable;

/// Gives equal values one identity, as well as it can in a fixed number of places: what is not seen again for long
/// makes room, so nothing has to be released. For the one writer of a [MeshStore].
final class Pool {
    private static final int PLACES = 1 << 16;

    private final @Nullable Object[] places = new @Nullable Object[PLACES];

    /// An equal value seen before, or this one.
    @SuppressWarnings("unchecked") // an equal record, string or list is of the same type
    <T> T share(T value) {
        var hash = value.hashCode() * 0x9E3779B9;
        var at = hash >>> 16 & (PLACES - 2);
        var known = places[at];
        if (known != null && value.equals(known)) {
            return (T) known;
        }
        var older = places[at + 1];
        if (older != null && value.equals(older)) {
            return (T) older;
        }
        places[at + 1] = known;
        places[at] = value;
        return value;
    }
}
