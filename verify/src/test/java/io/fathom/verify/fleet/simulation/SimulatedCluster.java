// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.fleet.agent.ServiceExchange;
import io.fathom.model.fleet.Audience;
import io.fathom.model.fleet.ExportChange;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.GatewayAddress;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.fleet.Interest;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.peering.ServiceSummary;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One cluster: the real agent's exchange of services, and a control plane that says what a test wants.
final class SimulatedCluster {
    final String name;
    final int number;
    final Interest interest;
    final ToldServices plane;
    final TreeMap<String, ServiceSummary> exports = new TreeMap<>();
    /// Whatever it has ever exported: nobody may hold anything else of it.
    final Set<ServiceSummary> ever = new HashSet<>();
    final Set<String> everRemoved = new HashSet<>();
    private final MemoryExchangeStore kept = new MemoryExchangeStore();
    private final Map<String, FleetPeer> peers = new TreeMap<>();
    ServiceExchange exchange;

    @Nullable
    SimulatedStream stream;

    Instant nextAttempt = Instant.MIN;
    /// Messages that it takes in one step.
    int appetite = Integer.MAX_VALUE;
    int starts;
    boolean member = true;

    SimulatedCluster(String name, int number, Interest interest, ToldServices plane) {
        this.name = name;
        this.number = number;
        this.interest = interest;
        this.plane = plane;
        this.exchange = new ServiceExchange(kept, plane, interest);
    }

    String uid() {
        return "uid-" + name;
    }

    GatewayFact gateway() {
        return new GatewayFact(
                "istio-eastwest/istio-eastwest",
                "net-" + name,
                "istio-eastwest",
                "cluster.local",
                List.of(new GatewayAddress(
                        GatewayAddress.Kind.LB_IP, "10." + number / 250 + "." + number % 250 + ".1", 15008, 15012)),
                new GatewayFact.Place("region-" + number % 10, ""),
                GatewayFact.GatewayState.ACTIVE,
                new Audience.Everybody());
    }

    /// A service as clusters of a test export it.
    ServiceSummary service(String namespace, String service, int ready, int port) {
        var place = new Locality("region-" + number % 10, "zone-a", "");
        return new ServiceSummary(
                namespace,
                service,
                List.of(new Port(port, 8080, AppProtocol.HTTP11), new Port(9090, 9090, AppProtocol.TCP)),
                ready == 0 ? List.of() : List.of(new ServiceSummary.LocalityShare(place, ready)),
                Math.max(ready, 3),
                List.of(namespace + "/" + service),
                ServiceSummary.NameScope.MESH_NAME,
                "");
    }

    void export(ServiceSummary service, Instant now) {
        exports.put(service.path(), service);
        ever.add(service);
        exchange.exported(new ExportChange.Delta(List.of(service), List.of()), now);
    }

    void withdraw(String path, Instant now) {
        exports.remove(path);
        everRemoved.add(path);
        exchange.exported(new ExportChange.Delta(List.of(), List.of(path)), now);
    }

    void exportAll(Instant now) {
        ever.addAll(exports.values());
        exchange.exported(new ExportChange.All(List.copyOf(exports.values())), now);
    }

    /// The agent dies and is started again: it knows what it has kept, and hears of its control plane anew.
    void restart(Instant now) {
        starts++;
        exchange = new ServiceExchange(kept, plane, interest);
        exchange.peers(List.copyOf(peers.values()));
        exportAll(now);
    }

    FleetUp.Hello hello() {
        return exchange.hello("agent-" + starts, "simulation", uid());
    }

    void take(FleetDown message, Consumer<FleetUp> out, Instant now) {
        switch (message) {
            case FleetDown.Welcome welcome -> {
                exchange.connected(welcome, out, now);
                out.accept(new FleetUp.Gateways(List.of(gateway()), exchange.nextVersion()));
            }
            case FleetDown.Peers said -> {
                said.removed().forEach(peers::remove);
                said.changed().forEach(peer -> peers.put(peer.uid(), peer));
                exchange.peers(List.copyOf(peers.values()));
            }
            case FleetDown.Revoked _ -> {
                member = false;
                exchange.forgetAll(now);
            }
            default -> exchange.take(message, now);
        }
    }

    Optional<SimulatedStream> stream() {
        return Optional.ofNullable(stream);
    }
}
