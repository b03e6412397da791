// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.facts;

import io.fathom.model.fleet.Blob;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntFunction;

/// Blobs, each held once however many refer to it by its number. For one thread.
final class BlobTable {
    private final ToIntFunction<Blob> attribute;
    private final Map<Blob, Integer> numbers = new HashMap<>();
    private Blob[] blobs = new Blob[16];
    private int[] attributes = new int[16];
    private int[] uses = new int[16];
    private int[] free = new int[16];
    private int freed;
    private int used;

    /// @param attribute what is remembered of each blob; fails for one that is no good
    BlobTable(ToIntFunction<Blob> attribute) {
        this.attribute = attribute;
    }

    /// The number of an equal blob, which is used once more until [#release].
    int use(Blob blob) {
        var known = numbers.get(blob);
        if (known != null) {
            uses[known]++;
            return known;
        }
        var value = attribute.applyAsInt(blob);
        var number = freed > 0 ? free[--freed] : used++;
        if (number == blobs.length) {
            blobs = Arrays.copyOf(blobs, number * 2);
            attributes = Arrays.copyOf(attributes, number * 2);
            uses = Arrays.copyOf(uses, number * 2);
        }
        blobs[number] = blob;
        attributes[number] = value;
        uses[number] = 1;
        numbers.put(blob, number);
        return number;
    }

    void release(int number) {
        if (--uses[number] > 0) {
            return;
        }
        numbers.remove(blobs[number]);
        blobs[number] = Blob.EMPTY;
        if (freed == free.length) {
            free = Arrays.copyOf(free, freed * 2);
        }
        free[freed++] = number;
    }

    Blob blob(int number) {
        return blobs[number];
    }

    int attribute(int number) {
        return attributes[number];
    }

    int size() {
        return numbers.size();
    }
}
