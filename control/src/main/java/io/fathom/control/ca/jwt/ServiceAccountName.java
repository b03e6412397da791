// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.jwt;

import java.util.Optional;

/// A Kubernetes service account, as tokens name it: `system:serviceaccount:<namespace>:<name>`.
public record ServiceAccountName(String namespace, String name) {
    private static final String PREFIX = "system:serviceaccount:";

    /// Empty for any other user name.
    public static Optional<ServiceAccountName> parse(String user) {
        var parts = user.startsWith(PREFIX) ? user.substring(PREFIX.length()).split(":", -1) : new String[0];
        return parts.length == 2 && isName(parts[0]) && isName(parts[1])
                ? Optional.of(new ServiceAccountName(parts[0], parts[1]))
                : Optional.empty();
    }

    /// What Kubernetes allows: anything else could change the meaning of a SPIFFE id that it becomes part of.
    private static boolean isName(String text) {
        return !text.isEmpty()
                && text.length() <= 253
                && text.chars().allMatch(c -> (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.');
    }

    /// As Kubernetes names the user.
    public String user() {
        return PREFIX + namespace + ":" + name;
    }
}
