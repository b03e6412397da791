// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination.ByAddress;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination.ByHostname;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Finds the pods behind waypoints and network gateways.
final class Gateways {
    private final Balancer balancer;

    Gateways(Balancer balancer) {
        this.balancer = balancer;
    }

    /// What became of a lookup.
    sealed interface Lookup {
        record Found(Upstream upstream) implements Lookup {}

        record Unknown() implements Lookup {}

        record Exhausted() implements Lookup {}
    }

    /// The waypoint of a service: drawn by weight among several if any of them weighs something.
    static Optional<GatewayAddress> waypoint(Service service, RandomGenerator random) {
        var total = 0L;
        for (var weighted : service.weightedWaypoints()) {
            total += weighted.weight();
        }
        if (total == 0) {
            return service.waypoint();
        }
        var ticket = random.nextLong(total);
        for (var weighted : service.weightedWaypoints()) {
            ticket -= weighted.weight();
            if (ticket < 0) {
                return Optional.of(weighted.destination());
            }
        }
        throw new AssertionError("a ticket below the total belongs to somebody");
    }

    Lookup find(MeshView view, GatewayAddress gateway, Workload client, Set<String> tried, RandomGenerator random) {
        var backends = backends(view, gateway);
        if (backends != null) {
            return backends.eligible(client, gateway.hbonePort(), Eligible.Purpose.GATEWAY)
                    .map(set -> balancer.draw(set, tried, random))
                    .<Lookup>map(draw -> new Lookup.Found(new Upstream(draw.member(), draw.port(), backends)))
                    .orElseGet(Lookup.Exhausted::new);
        }
        var member = member(view, gateway);
        return member == null
                ? new Lookup.Unknown()
                : new Lookup.Found(new Upstream(member, gateway.hbonePort(), null));
    }

    /// Whatever its visibility: the control plane would not name a gateway that must not be used.
    private static @Nullable Backends backends(MeshView view, GatewayAddress gateway) {
        var found = switch (gateway.destination()) {
            case ByHostname(var host) -> view.backends(host.key());
            case ByAddress(var address) ->
                view.at(address.network(), address.block().address(), Optional.empty());
        };
        return found == null || found.service == null ? null : found;
    }

    private static @Nullable Member member(MeshView view, GatewayAddress gateway) {
        return switch (gateway.destination()) {
            case ByHostname(var host) -> view.workloadIndex().named(host.namespace(), host.hostname());
            case ByAddress(var address) -> {
                var index = view.workloadIndex();
                var at = address.block().address();
                var port = index.at(address.network(), at, member -> isOnPort(member, gateway.hbonePort()));
                if (port != null) {
                    yield port;
                }
                var own = index.at(address.network(), at, member -> !isReachedThrough(member, gateway));
                yield own == null ? index.at(address.network(), at) : own;
            }
        };
    }

    /// Several gateways may share an address: control planes name the port of each in its uid.
    private static boolean isOnPort(Member member, int port) {
        return member.uid.startsWith("NetworkGateway/") && member.uid.endsWith("/" + port);
    }

    /// Entries for what is behind a gateway may have the gateway's own address.
    private static boolean isReachedThrough(Member member, GatewayAddress gateway) {
        return member.role
                .gateways()
                .network()
                .filter(own -> own.destination().equals(gateway.destination()))
                .isPresent();
    }

    /// Whether a workload is one of the pods that a gateway address means.
    static boolean isBehind(MeshView view, GatewayAddress gateway, Workload workload) {
        return switch (gateway.destination()) {
            case ByHostname(var host) ->
                workload.services().containsKey(host.key())
                        || (workload.namespace().equals(host.namespace())
                                && workload.hostname().equals(host.hostname()));
            case ByAddress(var address) ->
                (address.network().equals(workload.network())
                                && workload.addresses().contains(address.block().address()))
                        || view.allAt(address.network(), address.block().address()).stream()
                                .anyMatch(backends -> workload.services().containsKey(backends.key));
        };
    }
}
