package io.fathom.tools.local;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The addresses of Services by their full names. Immutable.
record ClusterNames(Map<String, List<String>> addresses) {
    static final String DOMAIN = "cluster.local";

    ClusterNames {
        addresses = Map.copyOf(addresses);
    }

    /// @param name without the final dot, in lower case
    Optional<List<String>> find(String name) {
        return Optional.ofNullable(addresses.get(name));
    }

    static String of(String service, String namespace) {
        return service + "." + namespace + ".svc." + DOMAIN;
    }

    static boolean isOurs(String name) {
        return name.endsWith("." + DOMAIN);
    }
}
