// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// Holds the name of a new Service back until the node proxies know its address, so that who can resolve it can also
/// use it. Not for ever: a proxy may be down, or a Service not be meant for it. One thread only.
final class NewServices {
    static final Duration PATIENCE = Duration.ofSeconds(3);

    private final Map<String, Long> waiting = new HashMap<>();
    private final Set<String> told = new HashSet<>();

    /// Those of the addresses whose names may be told.
    ///
    /// @param addresses of all Services
    /// @param now in nanoseconds
    /// @param known asked only if there are new ones: whether all proxies know an address
    Set<String> told(Collection<String> addresses, long now, Supplier<Predicate<String>> known) {
        told.retainAll(addresses);
        waiting.keySet().retainAll(addresses);
        for (var address : addresses) {
            if (!told.contains(address)) {
                waiting.putIfAbsent(address, now);
            }
        }
        if (!waiting.isEmpty()) {
            var isKnown = known.get();
            waiting.forEach((address, since) -> {
                if (isKnown.test(address) || now - since > PATIENCE.toNanos()) {
                    told.add(address);
                }
            });
            waiting.keySet().removeAll(told);
        }
        return Set.copyOf(told);
    }
}
