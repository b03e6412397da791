package io.fathom.control.gateway;

import io.fathom.wire.kube.GatewayManifest;
import io.fathom.wire.kube.GatewayManifest.AllowedRoutes;
import io.fathom.wire.kube.GatewayManifest.Listener;
import io.fathom.wire.kube.GatewayManifest.RouteKind;
import io.fathom.wire.kube.ListenerSetManifest;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.kube.RouteManifest;
import io.fathom.wire.kube.RouteManifest.ParentRef;
import java.util.List;
import java.util.Set;

/// Which listeners of a Gateway or ListenerSet take a route, and if none does, how far it came. Pure.
///
/// @param listeners by name
record Attachment(Finding accepted, Set<String> listeners) {
    /// Whose listeners they are.
    record Host(String kind, ObjectKey key, List<Listener> listeners) {
        static Host of(GatewayManifest gateway) {
            return new Host("Gateway", gateway.key(), gateway.listeners());
        }

        static Host of(ListenerSetManifest set) {
            return new Host(ListenerSetManifest.KIND, set.key(), set.listeners());
        }
    }

    /// The listeners that are left after one more question.
    private record Left(List<Listener> listeners) {
        boolean isEmpty() {
            return listeners.isEmpty();
        }
    }

    static Attachment of(RouteManifest route, ParentRef parent, Host host, Surroundings around) {
        var where = host.kind() + " " + host.key().path();
        var named = new Left(host.listeners().stream()
                .filter(listener ->
                        parent.section().isEmpty() || listener.name().equals(parent.section()))
                .filter(listener -> parent.port() == 0 || listener.port() == parent.port())
                .toList());
        if (named.isEmpty()) {
            return refused("NoMatchingParent", where + " has no listener" + wanted(parent));
        }
        var allowed = new Left(named.listeners().stream()
                .filter(listener -> allowsKind(listener, route.kind()))
                .filter(listener -> allowsNamespace(listener.allowedRoutes(), route, host, around))
                .toList());
        if (allowed.isEmpty()) {
            return refused(
                    "NotAllowedByListeners",
                    "no listener of %s%s takes a %s from namespace %s; see its allowedRoutes"
                            .formatted(where, wanted(parent), route.kind(), route.namespace()));
        }
        var meeting = new Left(allowed.listeners().stream()
                .filter(listener -> Hostnames.meet(listener.hostname(), route.hostnames()))
                .toList());
        if (meeting.isEmpty()) {
            return refused(
                    "NoMatchingListenerHostname",
                    "none of " + route.hostnames() + " is a host name of a listener of " + where);
        }
        var names = meeting.listeners().stream().map(Listener::name).toList();
        return new Attachment(
                Finding.good("Accepted", "in effect at " + where + ", " + String.join(", ", names)), Set.copyOf(names));
    }

    private static Attachment refused(String reason, String message) {
        return new Attachment(Finding.bad(reason, message), Set.of());
    }

    private static String wanted(ParentRef parent) {
        return (parent.section().isEmpty() ? "" : " named " + parent.section())
                + (parent.port() == 0 ? "" : " on port " + parent.port());
    }

    private static boolean allowsKind(Listener listener, String kind) {
        var fitting = fitting(listener);
        var named = listener.allowedRoutes().kinds();
        return fitting.contains(kind) && (named.isEmpty() || named.contains(RouteKind.of(kind)));
    }

    private static Set<String> fitting(Listener listener) {
        return switch (listener.protocol()) {
            case "HTTP", "HTTPS" -> Set.of("HTTPRoute", "GRPCRoute");
            case "TLS" ->
                listener.tls().filter(GatewayManifest.Tls::terminates).isPresent()
                        ? Set.of("TLSRoute", "TCPRoute")
                        : Set.of("TLSRoute");
            case "TCP" -> Set.of("TCPRoute");
            case "HBONE" -> Set.of("HTTPRoute", "GRPCRoute", "TCPRoute", "TLSRoute");
            default -> Set.of();
        };
    }

    private static boolean allowsNamespace(AllowedRoutes allowed, RouteManifest route, Host host, Surroundings around) {
        return switch (allowed.from()) {
            case ALL -> true;
            case SAME -> route.namespace().equals(host.key().namespace());
            case SELECTOR -> allowed.selector().matches(around.namespaceLabels(route.namespace()));
            case NONE -> false;
        };
    }
}
