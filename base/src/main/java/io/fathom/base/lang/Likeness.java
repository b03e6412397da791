// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.lang;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// Finds what somebody probably meant. Pure.
public final class Likeness {
    /// Shorter ones begin too much.
    private static final int WORD = 4;

    private Likeness() {}

    /// The candidate with the fewest typing mistakes in it, if those are few enough.
    public static Optional<String> closest(String word, Stream<String> candidates) {
        return candidates
                .filter(candidate -> distance(word, candidate) <= Math.max(1, word.length() / 3))
                .min(Comparator.comparingInt(candidate -> distance(word, candidate)));
    }

    /// The name that was probably meant: one that differs in upper and lower case, dashes and underscores only, or in
    /// being singular or plural, else the closest, else the only one that begins or ends with the word.
    public static Optional<String> closestName(String word, Collection<String> names) {
        var bare = bare(word);
        if (bare.isEmpty()) {
            return Optional.empty();
        }
        return names.stream()
                .filter(name -> bare(name).equals(bare))
                .findFirst()
                .or(() -> names.stream()
                        .filter(name -> singular(bare(name)).equals(singular(bare)))
                        .findFirst())
                .or(() -> names.stream()
                        .filter(name -> distance(bare, bare(name)) <= Math.max(1, bare.length() / 3))
                        .min(Comparator.comparingInt(name -> distance(bare, bare(name)))))
                .or(() -> onlyLonger(bare, names));
    }

    private static Optional<String> onlyLonger(String bare, Collection<String> names) {
        var longer = names.stream()
                .filter(name -> bare(name).startsWith(bare) || bare(name).endsWith(bare))
                .toList();
        return longer.size() == 1 && bare.length() >= WORD ? Optional.of(longer.getFirst()) : Optional.empty();
    }

    private static String bare(String word) {
        return word.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    private static String singular(String word) {
        if (word.endsWith("ies")) {
            return word.substring(0, word.length() - 3) + "y";
        }
        if (word.endsWith("ches") || word.endsWith("sses") || word.endsWith("xes")) {
            return word.substring(0, word.length() - 2);
        }
        return word.endsWith("s") && !word.endsWith("ss") ? word.substring(0, word.length() - 1) : word;
    }

    /// How many letters have to be changed, added, left out or swapped with their neighbour.
    public static int distance(String from, String to) {
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
