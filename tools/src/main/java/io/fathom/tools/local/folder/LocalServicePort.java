// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// A port of a Service.
///
/// @param target the port of its pods: a number, or the name that a container gives it
public record LocalServicePort(Protocol protocol, int number, String target) {
    public enum Protocol {
        TCP,
        UDP;

        public String title() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// The port of a pod; empty if it has none of that name.
    ///
    /// @param named the pod's own ports
    public Optional<Integer> of(Map<String, Integer> named) {
        return target.matches("\\d{1,5}")
                ? Optional.of(Integer.parseInt(target))
                : Optional.ofNullable(named.get(target));
    }
}
