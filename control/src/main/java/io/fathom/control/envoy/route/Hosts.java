package io.fathom.control.envoy.route;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Host names, possibly with a leading `*` that stands for anything.
final class Hosts {
    static final String ALL = "*";

    /// Exact names first, then the longest wildcards; `*` last. Equally specific ones by name.
    static final Comparator<String> MOST_SPECIFIC_FIRST = Comparator.comparing(Hosts::isWildcard)
            .thenComparing(Comparator.comparingInt(String::length).reversed())
            .thenComparing(Comparator.naturalOrder());

    private Hosts() {}

    static boolean isWildcard(String host) {
        return host.startsWith("*");
    }

    /// Whether every host that `name` means is meant by `pattern`, too.
    static boolean covers(String pattern, String name) {
        return pattern.equals(name)
                || pattern.equals(ALL)
                || (isWildcard(pattern) && name.length() >= pattern.length() && name.endsWith(pattern.substring(1)));
    }

    /// The hosts that both mean.
    static Optional<String> both(String one, String other) {
        if (covers(one, other)) {
            return Optional.of(other);
        }
        return covers(other, one) ? Optional.of(one) : Optional.empty();
    }

    /// Empty means all.
    static List<String> orAll(List<String> hosts) {
        return hosts.isEmpty() ? List.of(ALL) : hosts;
    }
}
