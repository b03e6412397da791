package io.fathom.control.deploy;

import io.fathom.control.deploy.ListenerVerdict.Finding;
import io.fathom.wire.kube.GatewayManifest.Listener;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Finds listeners that cannot be served beside others: those of one port must be told apart by the first bytes of a
/// client, by host name or not at all. What an object has is not taken from it by one that comes later; inside of an
/// object nobody comes first, so that both are in conflict. For one Gateway, on one thread.
final class ListenerConflicts {
    private final List<Listener> standing = new ArrayList<>();

    /// A listener, and what it is in conflict with.
    record Found(Listener listener, Optional<Finding> conflict) {}

    /// Looks at the listeners of the next object, in their order.
    List<Found> next(List<Listener> listeners) {
        var apart = listeners.stream()
                .filter(listener -> conflict(listener, standing).isEmpty())
                .toList();
        var found = listeners.stream()
                .map(listener -> new Found(
                        listener, conflict(listener, standing).or(() -> conflict(listener, others(listener, apart)))))
                .toList();
        found.stream()
                .filter(each -> each.conflict().isEmpty())
                .map(Found::listener)
                .forEach(standing::add);
        return found;
    }

    private static List<Listener> others(Listener listener, List<Listener> all) {
        return all.stream()
                .filter(other -> !other.name().equals(listener.name()))
                .toList();
    }

    private static Optional<Finding> conflict(Listener listener, List<Listener> others) {
        for (var other : others) {
            if (other.port() != listener.port()) {
                continue;
            }
            if (!family(other).equals(family(listener))) {
                return Optional.of(new Finding(
                        "ProtocolConflict",
                        "listener " + other.name() + " speaks " + other.protocol() + " on the same port"));
            }
            if (other.hostname().equals(listener.hostname())) {
                return Optional.of(new Finding(
                        "HostnameConflict", "listener " + other.name() + " has the same port and host name"));
            }
        }
        return Optional.empty();
    }

    private static String family(Listener listener) {
        return listener.protocol().equals("HTTPS") ? "TLS" : listener.protocol();
    }
}
