// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Gives equal values one instance, so that the pods of a deployment share their port lists, names and keys.
/// Bounded: it forgets rather than grows, and a value forgotten only costs memory. For immutable values;
/// used by the flow's writer.
public final class Interner {
    private static final int SLOTS = 1 << 14;

    private final @Nullable Object[] slots = new @Nullable Object[SLOTS];

    @SuppressWarnings("unchecked") // equal values of one class are interchangeable
    public <T> T share(T value) {
        var hash = value.hashCode();
        var slot = (hash ^ hash >>> 14) & SLOTS - 1;
        var known = slots[slot];
        if (known != null && known.getClass() == value.getClass() && Objects.equals(known, value)) {
            return (T) known;
        }
        slots[slot] = value;
        return value;
    }
}
