// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.facts;

import io.fathom.model.fleet.ServiceFact;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Paths of services, numbered. Found by path, or by the short key that stands for it in messages. For one thread.
final class PathTable {
    private @Nullable String[] paths = new String[64];
    private int[] free = new int[16];
    private int freed;
    private int used;
    /// Row plus one by key; 0 is free.
    private int[] slots = new int[128];

    /// Rows are less than this.
    int limit() {
        return used;
    }

    int size() {
        return used - freed;
    }

    boolean isUsed(int row) {
        return row < used && paths[row] != null;
    }

    String path(int row) {
        var path = paths[row];
        if (path == null) {
            throw new IllegalStateException("row " + row + " is free");
        }
        return path;
    }

    /// -1 when there is none.
    int row(String path) {
        for (var slot = start(ServiceFact.key(path)); slots[slot] != 0; slot = next(slot)) {
            if (path(slots[slot] - 1).equals(path)) {
                return slots[slot] - 1;
            }
        }
        return -1;
    }

    /// All rows whose paths have that key.
    int[] rows(int key) {
        var found = new int[0];
        for (var slot = start(key); slots[slot] != 0; slot = next(slot)) {
            var row = slots[slot] - 1;
            if (ServiceFact.key(path(row)) == key) {
                found = Arrays.copyOf(found, found.length + 1);
                found[found.length - 1] = row;
            }
        }
        return found;
    }

    int rowOrNew(String path) {
        var known = row(path);
        if (known >= 0) {
            return known;
        }
        var row = freed > 0 ? free[--freed] : used++;
        if (row == paths.length) {
            paths = Arrays.copyOf(paths, row * 2);
        }
        paths[row] = path;
        if (size() * 4 > slots.length * 3) {
            rehash(slots.length * 2);
        } else {
            insert(row);
        }
        return row;
    }

    void free(int row) {
        var slot = start(ServiceFact.key(path(row)));
        while (slots[slot] != row + 1) {
            slot = next(slot);
        }
        slots[slot] = 0;
        for (var follower = next(slot); slots[follower] != 0; follower = next(follower)) {
            var moved = slots[follower] - 1;
            slots[follower] = 0;
            insert(moved);
        }
        paths[row] = null;
        if (freed == free.length) {
            free = Arrays.copyOf(free, freed * 2);
        }
        free[freed++] = row;
    }

    private void rehash(int length) {
        slots = new int[length];
        for (var row = 0; row < used; row++) {
            if (paths[row] != null) {
                insert(row);
            }
        }
    }

    private void insert(int row) {
        var slot = start(ServiceFact.key(path(row)));
        while (slots[slot] != 0) {
            slot = next(slot);
        }
        slots[slot] = row + 1;
    }

    private int start(int key) {
        return key & (slots.length - 1);
    }

    private int next(int slot) {
        return (slot + 1) & (slots.length - 1);
    }
}
