// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.wire.kube.gateway.GatewayManifest.AllowedRoutes;
import io.fathom.wire.kube.gateway.GatewayManifest.RouteKind;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import io.fathom.wire.kube.gateway.TcpRouteManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Which listeners of a Gateway or ListenerSet take a route, and if none does, how far it came. Pure.
///
/// @param listeners that take it, whether they are served or not
/// @param effects where it leads requests, and for which hosts
record Attachment(Finding accepted, Set<ListenerKey> listeners, Map<RouteAttachPoint, List<String>> effects) {
    /// Whose listeners they are.
    record Host(String kind, ObjectKey key, GatewayVerdict gateway, List<ListenerVerdict> listeners) {}

    static Attachment of(RouteManifest route, ParentRef parent, Host host, Surroundings around) {
        var where = host.kind() + " " + host.key().path();
        var named = host.listeners().stream()
                .filter(each ->
                        parent.section().isEmpty() || each.listener().name().equals(parent.section()))
                .filter(each -> parent.port() == 0 || each.listener().port() == parent.port())
                .toList();
        if (named.isEmpty()) {
            return refused("NoMatchingParent", where + " has no listener" + wanted(parent));
        }
        var allowed = named.stream()
                .filter(each -> each.kinds().contains(RouteKind.of(route.kind())))
                .filter(each -> allowsNamespace(each.listener().allowedRoutes(), route, host, around))
                .toList();
        if (allowed.isEmpty()) {
            return refused(
                    "NotAllowedByListeners",
                    "no listener of %s%s takes a %s from namespace %s; see its allowedRoutes"
                                    .formatted(where, wanted(parent), route.kind(), route.namespace())
                            + hint(named));
        }
        var meeting =
                allowed.stream().filter(each -> !hosts(route, each).isEmpty()).toList();
        if (meeting.isEmpty()) {
            return refused(
                    "NoMatchingListenerHostname",
                    "none of " + route.hostnames() + " is a host name of a listener of " + where);
        }
        var effects = new LinkedHashMap<RouteAttachPoint, List<String>>();
        for (var each : meeting) {
            var left = hosts(route, each).stream()
                    .filter(name -> host.gateway().keeps(each, name))
                    .toList();
            if (each.isServed() && !left.isEmpty()) {
                effects.put(new RouteAttachPoint.AtListener(each.key()), left);
            }
        }
        return new Attachment(
                Finding.good("Accepted", message(where, meeting, effects)),
                meeting.stream().map(ListenerVerdict::key).collect(Collectors.toSet()),
                effects);
    }

    /// The hosts that both mean; connections that nobody looks into are for those of the listener.
    private static List<String> hosts(RouteManifest route, ListenerVerdict each) {
        if (route instanceof TcpRouteManifest) {
            return List.of(each.listener().protocol().equals("TCP") ? Hostnames.ALL : each.host());
        }
        return Hostnames.orAll(route.hostnames()).stream()
                .flatMap(name -> Hostnames.both(each.host(), name).stream())
                .distinct()
                .toList();
    }

    private static String message(
            String where, List<ListenerVerdict> meeting, Map<RouteAttachPoint, List<String>> effects) {
        if (effects.isEmpty()) {
            var first = meeting.getFirst();
            return "attached to %s, but not in effect: listener %s %s"
                    .formatted(
                            where,
                            first.listener().name(),
                            first.hindrance()
                                    .map(why -> "is not served, " + why.message())
                                    .orElse("leaves its hosts to listeners that name them more specifically"));
        }
        return "in effect at " + where + ", "
                + meeting.stream()
                        .filter(each -> effects.containsKey(new RouteAttachPoint.AtListener(each.key())))
                        .map(each -> each.listener().name())
                        .collect(Collectors.joining(", "));
    }

    private static Attachment refused(String reason, String message) {
        return new Attachment(Finding.bad(reason, message), Set.of(), Map.of());
    }

    private static String wanted(ParentRef parent) {
        return (parent.section().isEmpty() ? "" : " named " + parent.section())
                + (parent.port() == 0 ? "" : " on port " + parent.port());
    }

    private static String hint(List<ListenerVerdict> named) {
        return Stream.of(named.getFirst())
                .filter(each -> each.listener().protocol().equals("HBONE"))
                .map(_ -> "; routes for a waypoint attach to the services behind it")
                .findFirst()
                .orElse("");
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
