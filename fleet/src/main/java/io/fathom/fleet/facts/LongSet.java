// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.facts;

import java.util.Arrays;

/// The same for large numbers. For one thread.
final class LongSet {
    private static final int SMALLEST = 8;

    /// Number plus one; 0 is free.
    private long[] slots = new long[SMALLEST];
    private int size;

    int size() {
        return size;
    }

    boolean add(long number) {
        var slot = slot(number);
        if (slots[slot] != 0) {
            return false;
        }
        slots[slot] = number + 1;
        if (++size * 4 > slots.length * 3) {
            resize(slots.length * 2);
        }
        return true;
    }

    boolean remove(long number) {
        var hole = slot(number);
        if (slots[hole] == 0) {
            return false;
        }
        size--;
        var mask = slots.length - 1;
        slots[hole] = 0;
        for (var next = (hole + 1) & mask; slots[next] != 0; next = (next + 1) & mask) {
            var moved = slots[next];
            slots[next] = 0;
            slots[slot(moved - 1)] = moved;
        }
        if (size == 0) {
            slots = new long[SMALLEST];
        }
        return true;
    }

    void clear() {
        slots = new long[SMALLEST];
        size = 0;
    }

    long[] toArray() {
        return Arrays.stream(slots)
                .filter(slot -> slot != 0)
                .map(slot -> slot - 1)
                .toArray();
    }

    private int slot(long number) {
        var mask = slots.length - 1;
        var slot = (int) ((number * 0x9e3779b97f4a7c15L) >>> 32) & mask;
        while (slots[slot] != 0 && slots[slot] != number + 1) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void resize(int length) {
        var old = slots;
        slots = new long[length];
        for (var entry : old) {
            if (entry != 0) {
                slots[slot(entry - 1)] = entry;
            }
        }
    }
}
