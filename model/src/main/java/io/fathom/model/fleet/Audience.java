// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Which clusters are to get a Gateway for another.
public sealed interface Audience {
    /// What a word begins with that is for all clusters with a label.
    String LABEL = "label:";

    Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?");

    /// All of the fleet.
    record Everybody() implements Audience {}

    /// Those that one of these words is for; none if there are none.
    ///
    /// @param clusters names, and labels like `label:env=prod`
    record Named(Set<String> clusters) implements Audience {
        public Named {
            clusters = Set.copyOf(clusters);
        }
    }

    /// How `distribute-to` has it: `*`, names and labels with commas, or `none`. Nothing at all means everybody.
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

    default boolean includes(String cluster, ClusterLabels labels) {
        return switch (this) {
            case Everybody() -> true;
            case Named(var clusters) ->
                clusters.contains(cluster)
                        || labels.texts().stream().anyMatch(label -> clusters.contains(LABEL + label));
        };
    }

    /// Words that can be for no cluster: they are neither a name nor a label.
    default List<String> mistakes() {
        return switch (this) {
            case Everybody() -> List.of();
            case Named(var clusters) ->
                new TreeSet<>(clusters)
                        .stream()
                                .filter(word -> !isName(word) && !isLabel(word))
                                .toList();
        };
    }

    private static boolean isName(String word) {
        return NAME.matcher(word).matches();
    }

    private static boolean isLabel(String word) {
        return word.startsWith(LABEL) && ClusterLabels.isLabel(word.substring(LABEL.length()));
    }

    /// What [#parse] understands.
    default String text() {
        var words = words();
        return words.isEmpty() ? "none" : words.stream().collect(Collectors.joining(","));
    }
}
