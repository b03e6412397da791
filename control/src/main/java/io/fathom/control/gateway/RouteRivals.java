// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.TcpRouteManifest;
import io.fathom.wire.kube.gateway.TlsRouteManifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Of routes that want the same connections one has them: what chooses by server name before what takes all, of equals
/// the oldest. Requests are matched rule by rule, so that routes for these have no rivals here. Pure.
final class RouteRivals {
    /// Who comes first.
    static final Comparator<RouteManifest> ORDER = Comparator.comparing(
                    (RouteManifest route) -> route instanceof TcpRouteManifest)
            .thenComparing(RouteManifest::metadata, Metadata.OLDEST_FIRST);

    private RouteRivals() {}

    /// The places where a route may have rivals.
    static Set<RouteAttachPoint> contested(RouteVerdict verdict) {
        return isForConnections(verdict.route()) ? verdict.effects().keySet() : Set.of();
    }

    private static boolean isForConnections(RouteManifest route) {
        return route instanceof TcpRouteManifest || route instanceof TlsRouteManifest;
    }

    /// What is left of a route.
    ///
    /// @param others all that want something at a place, itself among them
    static RouteVerdict settle(RouteVerdict own, Function<RouteAttachPoint, List<RouteVerdict>> others) {
        if (!isForConnections(own.route())) {
            return own;
        }
        var left = new LinkedHashMap<RouteAttachPoint, List<String>>();
        Optional<RouteManifest> winner = Optional.empty();
        for (var effect : own.effects().entrySet()) {
            var place = effect.getKey();
            var earlier = others.apply(place).stream()
                    .filter(other -> ORDER.compare(other.route(), own.route()) < 0)
                    .toList();
            var taken = earlier.stream()
                    .flatMap(other -> other.hosts(place).stream())
                    .collect(Collectors.toSet());
            var hosts = effect.getValue().stream()
                    .filter(host -> !taken.contains(host))
                    .toList();
            if (place instanceof RouteAttachPoint.AtService ? earlier.isEmpty() : !hosts.isEmpty()) {
                left.put(place, hosts);
            } else {
                winner = winner.or(
                        () -> earlier.stream().map(RouteVerdict::route).findFirst());
            }
        }
        return winner.map(route -> with(own, left, route)).orElse(own.effects().equals(left) ? own : with(own, left));
    }

    private static RouteVerdict with(RouteVerdict own, Map<RouteAttachPoint, List<String>> left) {
        return new RouteVerdict(own.route(), own.parents(), own.attached(), left, own.granted(), own.unsaid());
    }

    private static RouteVerdict with(RouteVerdict own, Map<RouteAttachPoint, List<String>> left, RouteManifest winner) {
        var unsaid = new LinkedHashMap<>(own.unsaid());
        var parents = own.parents().stream()
                .map(parent -> {
                    var effects =
                            parent.effects().stream().filter(left::containsKey).collect(Collectors.toSet());
                    if (!effects.isEmpty() || parent.effects().isEmpty()) {
                        return new ParentVerdict(
                                parent.parent(), parent.accepted(), parent.resolved(), parent.waypoints(), effects);
                    }
                    var message = "accepted, but not in effect: %s %s comes first and takes its connections"
                            .formatted(winner.kind(), winner.key().path());
                    unsaid.put(
                            parent.parent(),
                            Problem.ofInput(
                                    RouteVerdict.NOT_IN_EFFECT,
                                    message,
                                    "delete one of the two, or name another parent"));
                    var accepted = Finding.good(parent.accepted().reason(), message);
                    return new ParentVerdict(parent.parent(), accepted, parent.resolved(), parent.waypoints(), effects);
                })
                .toList();
        return new RouteVerdict(own.route(), parents, own.attached(), left, own.granted(), unsaid);
    }
}
