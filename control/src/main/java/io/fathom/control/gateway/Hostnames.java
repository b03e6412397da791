package io.fathom.control.gateway;

import java.util.List;

/// Host names that may begin with `*.`, which stands for one or more labels.
final class Hostnames {
    private Hostnames() {}

    /// Whether some host is meant by the listener and by the route; an empty listener or list means all.
    static boolean meet(String listener, List<String> route) {
        return listener.isEmpty()
                || route.isEmpty()
                || route.stream().anyMatch(name -> covers(listener, name) || covers(name, listener));
    }

    /// Whether every host that `name` means is meant by `pattern`, too.
    private static boolean covers(String pattern, String name) {
        if (pattern.equals(name)) {
            return true;
        }
        return pattern.startsWith("*.") && name.endsWith(pattern.substring(1));
    }
}
