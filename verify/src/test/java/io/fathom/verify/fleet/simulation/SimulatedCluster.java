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
import io.fathom.model.peering.ServiceSummary;
import java.time.Instant;
import java.util.HashMap;
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
    final Map<String, ServiceSummary> exports = new HashMap<>();
    final Set<String> everRemoved = new HashSet<>();
    /// Other than what it exports now.
    private final Map<String, Set<ServiceSummary>> past = new HashMap<>();
    private final ServicePool pool;
    private final MemoryExchangeStore kept = new MemoryExchangeStore();
    private final Map<String, FleetPeer> peers = new TreeMap<>();
    private int addresses = 1;
    ServiceExchange exchange;

    @Nullable
    SimulatedStream stream;

    Instant nextAttempt = Instant.MIN;
    /// Messages that it takes in one step.
    int appetite = Integer.MAX_VALUE;
    int starts;
    boolean member = true;
    /// The network between it and the server.
    boolean reachable = true;

    SimulatedCluster(String name, int number, Interest interest, ToldServices plane, ServicePool pool) {
        this.name = name;
        this.number = number;
        this.interest = interest;
        this.plane = plane;
        this.pool = pool;
        this.exchange = new ServiceExchange(kept, plane, interest);
    }

    String uid() {
        return "uid-" + name;
    }

    GatewayFact gateway() {
        return gateway("10." + number / 250 + "." + number % 250 + "." + addresses, "net-" + name);
    }

    GatewayFact gateway(String host, String network) {
        return new GatewayFact(
                "istio-eastwest/istio-eastwest",
                network,
                "istio-eastwest",
                "cluster.local",
                List.of(new GatewayAddress(GatewayAddress.Kind.LB_IP, host, 15008, 15012)),
                new GatewayFact.Place("region-" + number % 10, ""),
                GatewayFact.GatewayState.ACTIVE,
                new Audience.Everybody());
    }

    /// Its gateway has another address.
    void moveGateway() {
        addresses++;
        stream().ifPresent(it -> it.send(new FleetUp.Gateways(List.of(gateway()), exchange.nextVersion())));
    }

    /// A service as clusters of a test export it.
    ServiceSummary service(String namespace, String service, int ready, int port) {
        return pool.service(namespace, service, ready, port, number % 10);
    }

    void export(ServiceSummary service, Instant now) {
        hasSaid(exports.put(service.path(), service));
        exchange.exported(new ExportChange.Delta(List.of(service), List.of()), now);
    }

    /// The same service with other endpoints.
    void scale(ServiceSummary service, int ready, Instant now) {
        export(service(service.namespace(), service.name(), ready, 80), now);
    }

    void withdraw(String path, Instant now) {
        hasSaid(exports.remove(path));
        everRemoved.add(path);
        exchange.exported(new ExportChange.Delta(List.of(), List.of(path)), now);
    }

    void exportAll(Instant now) {
        exchange.exported(new ExportChange.All(List.copyOf(exports.values())), now);
    }

    /// It may be held to that from now on.
    void hasSaid(@Nullable ServiceSummary service) {
        if (service != null) {
            past.computeIfAbsent(service.path(), _ -> new HashSet<>()).add(service);
        }
    }

    boolean hasEverSaid(ServiceSummary service) {
        return service.equals(exports.get(service.path()))
                || past.getOrDefault(service.path(), Set.of()).contains(service);
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
                said.changed().forEach(peer -> peers.put(peer.uid(), pool.peer(peer)));
                exchange.peers(peers.values());
            }
            case FleetDown.Revoked _ -> {
                member = false;
                exchange.forgetAll(now);
            }
            default -> exchange.take(message, now);
        }
    }

    /// The gateway of another cluster as it knows it.
    Optional<FleetPeer> peer(String uid) {
        return Optional.ofNullable(peers.get(uid));
    }

    int knownPeers() {
        return peers.size();
    }

    Optional<SimulatedStream> stream() {
        return Optional.ofNullable(stream);
    }
}
