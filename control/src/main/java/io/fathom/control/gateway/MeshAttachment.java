// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.RouteManifest.ParentRef;
import io.fathom.wire.kube.gateway.TlsRouteManifest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// What becomes of a route at a Service or ServiceEntry: waypoints in front of it follow the route. Pure.
///
/// Only routes of the namespace of the service or of its waypoint count: others must not redirect what they neither
/// own nor carry. Connections are not told apart by server name there.
///
/// @param waypoints whether one is there
/// @param effects where it leads requests
record MeshAttachment(Finding accepted, Finding waypoints, Map<RouteAttachPoint, List<String>> effects) {
    static MeshAttachment of(RouteManifest route, ParentRef parent, MeshParent target) {
        var name = parent.kind() + " " + target.key().path();
        var ports = target.ports().stream()
                .filter(port -> parent.port() == 0 || port.number() == parent.port())
                .filter(port -> parent.section().isEmpty() || port.name().equals(parent.section()))
                .toList();
        if (ports.isEmpty()) {
            return refused(
                    "NoMatchingParent",
                    name + " has no port"
                            + (parent.port() == 0 ? "" : " " + parent.port())
                            + (parent.section().isEmpty() ? "" : " named " + parent.section()));
        }
        var fitting = ports.stream().filter(port -> port.takes(route.kind())).toList();
        if (fitting.isEmpty()) {
            return refused(
                    "NoMatchingParent",
                    "%s takes no %s at port %d, which is for %s; see its appProtocol"
                            .formatted(
                                    name,
                                    route.kind(),
                                    ports.getFirst().number(),
                                    ports.getFirst().protocol()));
        }
        var isOwn = route.namespace().equals(target.key().namespace());
        var deciding = target.waypoints().stream()
                .filter(waypoint -> isOwn || waypoint.namespace().equals(route.namespace()))
                .collect(Collectors.toSet());
        if (!isOwn && deciding.isEmpty()) {
            return refused(
                    "NotAllowedByListeners",
                    "only routes of namespace %s, or of that of its waypoint, decide about %s"
                            .formatted(target.key().namespace(), name));
        }
        var hosts = target.hosts().stream()
                .filter(host -> isFor(route, host.hostname()))
                .toList();
        if (hosts.isEmpty()) {
            return refused(
                    "NoMatchingListenerHostname",
                    "connections for %s are not told apart by server name; leave out hostnames".formatted(name));
        }
        var effects = new LinkedHashMap<RouteAttachPoint, List<String>>();
        for (var host : hosts) {
            for (var waypoint : host.waypoints()) {
                if (deciding.contains(waypoint)) {
                    fitting.forEach(port -> effects.put(
                            new RouteAttachPoint.AtService(waypoint, host.name(), port.number()), List.of()));
                }
            }
        }
        if (effects.isEmpty()) {
            var why = "no waypoint stands in front of " + name;
            return new MeshAttachment(
                    Finding.good("Accepted", "accepted, but not in effect: " + why),
                    Finding.bad("MissingUseWaypointLabel", why + "; label it istio.io/use-waypoint"),
                    effects);
        }
        return new MeshAttachment(
                Finding.good("Accepted", "in effect for " + name),
                Finding.good("ResolvedWaypoints", "served by Gateway " + paths(effects)),
                effects);
    }

    private static boolean isFor(RouteManifest route, String hostname) {
        return !(route instanceof TlsRouteManifest)
                || route.hostnames().isEmpty()
                || route.hostnames().equals(List.of(hostname));
    }

    private static String paths(Map<RouteAttachPoint, List<String>> effects) {
        return effects.keySet().stream()
                .map(place ->
                        place instanceof RouteAttachPoint.AtService(var waypoint, var _, var _) ? waypoint.path() : "")
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }

    static MeshAttachment refused(String reason, String message) {
        return new MeshAttachment(Finding.bad(reason, message), Finding.bad("NoMatchingParent", message), Map.of());
    }
}
