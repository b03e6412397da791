// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Finds listeners that cannot be served beside others: those of one port must be told apart by the first bytes of a
/// client, by host name or not at all. What an object has is not taken from it by one that comes later; inside of an
/// object nobody comes first, so that both are in conflict and neither is served. For one Gateway, on one thread.
final class ListenerConflicts {
    private final Predicate<Listener> counts;
    private final List<Listener> standing = new ArrayList<>();

    /// A listener, and what it is in conflict with.
    record FoundConflict(Listener listener, Optional<Finding> conflict) {}

    /// @param counts whether a listener could be served at all; others are in nobody's way
    ListenerConflicts(Predicate<Listener> counts) {
        this.counts = counts;
    }

    /// Looks at the listeners of the next object, in their order.
    List<FoundConflict> next(List<Listener> listeners) {
        var apart = listeners.stream()
                .filter(counts)
                .filter(listener -> conflict(listener, standing).isEmpty())
                .toList();
        var found = listeners.stream()
                .map(listener -> new FoundConflict(
                        listener,
                        Optional.of(listener)
                                .filter(counts)
                                .flatMap(own -> conflict(own, standing).or(() -> conflict(own, others(own, apart))))))
                .toList();
        found.stream()
                .filter(each -> each.conflict().isEmpty() && counts.test(each.listener()))
                .map(FoundConflict::listener)
                .forEach(standing::add);
        return found;
    }

    /// Without itself: two of them may be equal in all, also in name.
    @SuppressWarnings("ReferenceEquality")
    private static List<Listener> others(Listener listener, List<Listener> all) {
        return all.stream().filter(other -> other != listener).toList();
    }

    private static Optional<Finding> conflict(Listener listener, List<Listener> others) {
        for (var other : others) {
            if (other.port() != listener.port()) {
                continue;
            }
            if (!family(other).equals(family(listener))) {
                return Optional.of(Finding.bad(
                        "ProtocolConflict",
                        "listener " + other.name() + " speaks " + other.protocol() + " on the same port"));
            }
            if (host(other).equals(host(listener))) {
                return Optional.of(Finding.bad(
                        "HostnameConflict", "listener " + other.name() + " has the same port and host name"));
            }
        }
        return Optional.empty();
    }

    static String family(Listener listener) {
        return listener.protocol().equals("HTTPS") ? "TLS" : listener.protocol();
    }

    /// Connections say nothing about hosts.
    private static String host(Listener listener) {
        return listener.protocol().equals("TCP") ? "" : listener.hostname();
    }
}
