package io.fathom.tools.args;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/// Finds what somebody probably meant. Pure.
public final class Likeness {
    private Likeness() {}

    /// The candidate with the fewest typing mistakes in it, if those are few enough.
    public static Optional<String> closest(String word, Stream<String> candidates) {
        return candidates
                .filter(candidate -> distance(word, candidate) <= Math.max(1, word.length() / 3))
                .min(Comparator.comparingInt(candidate -> distance(word, candidate)));
    }

    /// How many letters have to be changed, added, left out or swapped with their neighbour.
    static int distance(String from, String to) {
        var beforeLast = new int[to.length() + 1];
        var last = new int[to.length() + 1];
        Arrays.setAll(last, i -> i);
        for (int i = 1; i <= from.length(); i++) {
            var row = new int[to.length() + 1];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                var change = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                row[j] = Math.min(Math.min(row[j - 1], last[j]) + 1, last[j - 1] + change);
                if (i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1)) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
            beforeLast = last;
            last = row;
        }
        return last[to.length()];
    }
}
