// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.dns;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What the full names of Services and pods mean. Immutable.
public record ClusterNames(Map<String, Meaning> names) {
    public static final String DOMAIN = "cluster.local";
    private static final int MOST_ALIASES = 8;

    /// What a name stands for.
    public sealed interface Meaning {
        record Addresses(List<String> ips) implements Meaning {}

        /// Another name, possibly of somebody else.
        record Alias(String name) implements Meaning {}
    }

    /// What became of a question.
    ///
    /// @param aliases the names that it led to, in turn
    /// @param ips of the last name; empty if others have to be asked for it
    record Found(List<String> aliases, Optional<List<String>> ips) {}

    public ClusterNames {
        names = Map.copyOf(names);
    }

    /// Empty if it is not known here.
    ///
    /// @param name without the final dot, in lower case
    Optional<Found> find(String name) {
        var aliases = new ArrayList<String>();
        var meaning = names.get(name);
        while (meaning instanceof Meaning.Alias(var next) && aliases.size() < MOST_ALIASES) {
            aliases.add(next);
            meaning = names.get(next);
        }
        return switch (meaning) {
            case Meaning.Addresses(var ips) -> Optional.of(new Found(aliases, Optional.of(ips)));
            case Meaning.Alias _ -> Optional.of(new Found(aliases, Optional.of(List.of()))); // in circles
            case null ->
                aliases.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new Found(
                                aliases, isOurs(aliases.getLast()) ? Optional.of(List.of()) : Optional.empty()));
        };
    }

    public static String of(String service, String namespace) {
        return service + "." + namespace + ".svc." + DOMAIN;
    }

    static boolean isOurs(String name) {
        return name.endsWith("." + DOMAIN);
    }
}
