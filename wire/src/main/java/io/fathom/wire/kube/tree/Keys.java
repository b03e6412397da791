// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/// Where the names of a map's entries stand, which may be lines above their values, and which are written twice.
public final class Keys {
    /// Of a map that no text tells of.
    public static final Keys UNKNOWN = new Keys(new int[0], List.of());

    /// A name that stands there again; the first one counts.
    public record Twice(String key, int line, int firstLine) {}

    private final int[] lines;
    private final List<Twice> twice;

    /// @param lines of the names, in the order of the entries
    Keys(int[] lines, List<Twice> twice) {
        this.lines = lines;
        this.twice = List.copyOf(twice);
    }

    /// The line of a name.
    OptionalInt line(Map<String, Tree> entries, String key) {
        var index = 0;
        for (var name : entries.keySet()) {
            if (index == lines.length) {
                break;
            }
            if (name.equals(key)) {
                return OptionalInt.of(lines[index]);
            }
            index++;
        }
        return OptionalInt.empty();
    }

    public List<Twice> twice() {
        return twice;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Keys keys && Arrays.equals(lines, keys.lines) && twice.equals(keys.twice);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(lines) + twice.hashCode();
    }

    /// Collects them while a map is parsed. For one thread.
    static final class Collector {
        private int[] lines = new int[8];
        private int count;
        private List<Twice> twice = List.of();

        void add(int line) {
            if (count == lines.length) {
                lines = Arrays.copyOf(lines, 2 * count);
            }
            lines[count++] = line;
        }

        void addTwice(Twice again) {
            if (twice.isEmpty()) {
                twice = new ArrayList<>();
            }
            twice.add(again);
        }

        Keys keys() {
            return new Keys(Arrays.copyOf(lines, count), twice);
        }
    }
}
