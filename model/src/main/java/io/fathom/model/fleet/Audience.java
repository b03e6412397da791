// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Which clusters are to get a Gateway for another.
public sealed interface Audience {
    /// All of the fleet.
    record Everybody() implements Audience {}

    /// Those with these names; none if there are none.
    record Named(Set<String> clusters) implements Audience {
        public Named {
            clusters = Set.copyOf(clusters);
        }
    }

    /// How `distribute-to` has it: `*`, names with commas, or `none`. Nothing at all means everybody.
    static Audience parse(String text) {
        var words = Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
        return words.isEmpty() ? new Everybody() : of(words.equals(List.of("none")) ? List.of() : words);
    }

    /// From a list that has `*` for everybody.
    static Audience of(List<String> words) {
        return words.contains("*") ? new Everybody() : new Named(Set.copyOf(words));
    }

    /// As a list that [#of] understands.
    default List<String> words() {
        return switch (this) {
            case Everybody() -> List.of("*");
            case Named(var clusters) -> List.copyOf(new TreeSet<>(clusters));
        };
    }

    default boolean includes(String cluster) {
        return switch (this) {
            case Everybody() -> true;
            case Named(var clusters) -> clusters.contains(cluster);
        };
    }

    /// What [#parse] understands.
    default String text() {
        var words = words();
        return words.isEmpty() ? "none" : words.stream().collect(Collectors.joining(","));
    }
}
