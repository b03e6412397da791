// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Host names, possibly with a leading `*` that stands for anything. Pure.
public final class Hostnames {
    public static final String ALL = "*";

    /// Exact names first, then the longest wildcards; `*` last. Equally specific ones by name.
    public static final Comparator<String> MOST_SPECIFIC_FIRST = Comparator.comparing(Hostnames::isWildcard)
            .thenComparing(Comparator.comparingInt(String::length).reversed())
            .thenComparing(Comparator.naturalOrder());

    private Hostnames() {}

    public static boolean isWildcard(String host) {
        return host.startsWith(ALL);
    }

    /// Whether every host that `name` means is meant by `pattern`, too.
    public static boolean covers(String pattern, String name) {
        return pattern.equals(name)
                || pattern.equals(ALL)
                || (isWildcard(pattern) && name.length() >= pattern.length() && name.endsWith(pattern.substring(1)));
    }

    /// The hosts that both mean.
    public static Optional<String> both(String one, String other) {
        if (covers(one, other)) {
            return Optional.of(other);
        }
        return covers(other, one) ? Optional.of(one) : Optional.empty();
    }

    /// An empty name means all.
    public static String orAll(String host) {
        return host.isEmpty() ? ALL : host;
    }

    /// No name means all.
    public static List<String> orAll(List<String> hosts) {
        return hosts.isEmpty() ? List.of(ALL) : hosts;
    }
}
