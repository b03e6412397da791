// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.control.envoy.EnvoyMesh;
import io.fathom.control.envoy.WaypointOffers;
import io.fathom.control.order.Proxies;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.xds.Acknowledgements;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.stream.Milestone;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/// The proxies that are connected to this control plane. Before it serves there are none. Thread-safe.
final class XdsProxies implements Proxies {
    private final EnvoyMesh envoys;
    private final WaypointOffers offers;
    private final ResourceStore store;
    private final AtomicReference<Optional<Acknowledgements>> acknowledgements =
            new AtomicReference<>(Optional.empty());

    /// @param store what node proxies are fed from
    XdsProxies(EnvoyMesh envoys, ResourceStore store) {
        this.envoys = envoys;
        this.offers = envoys.offers();
        this.store = store;
    }

    /// From now on there are clients.
    void serve(Acknowledgements clients) {
        acknowledgements.set(Optional.of(clients));
    }

    @Override
    public Set<ObjectKey> waypoints(Address address, Set<GatewayAddress> waypoints) {
        return offers.waypoints(address, waypoints);
    }

    @Override
    public Presence presence(ObjectKey waypoint) {
        var connected = new HashSet<String>();
        acknowledgements
                .get()
                .ifPresent(clients -> envoys.feeds(waypoint).forEach(feed -> connected.addAll(clients.clients(feed))));
        var pods = offers.pods(waypoint);
        if (connected.isEmpty() && pods.isEmpty()) {
            return Presence.NONE;
        }
        return connected.containsAll(pods) ? Presence.ALL : Presence.MISSING;
    }

    @Override
    public boolean offers(ObjectKey waypoint, Address address) {
        return offers.offers(waypoint, address);
    }

    @Override
    public long version(ObjectKey waypoint) {
        return envoys.feeds(waypoint).stream()
                .mapToLong(feed -> feed.head().sequence())
                .sum();
    }

    @Override
    public Wait whenServed(ObjectKey waypoint, Collection<Address> addresses, Consumer<Answer> done) {
        var clients = acknowledgements.get();
        var feeds = envoys.feeds(waypoint);
        if (clients.isEmpty() || feeds.isEmpty()) {
            done.accept(Answer.SERVED);
            return () -> {};
        }
        var resources = offers.resources(waypoint, addresses);
        var open = new AtomicInteger(feeds.size());
        var heard = EnumSet.noneOf(Answer.class);
        var waits = new ArrayList<Acknowledgements.Wait>();
        for (var feed : feeds) {
            var milestone = new Milestone(feed.head().sequence(), resources);
            waits.add(clients.get().await(feed, milestone, answer -> {
                synchronized (heard) {
                    heard.add(
                            switch (answer) {
                                case ACKNOWLEDGED -> Answer.SERVED;
                                case REFUSED -> Answer.REFUSED;
                                case LEFT -> Answer.LEFT;
                            });
                }
                if (open.decrementAndGet() == 0) {
                    done.accept(worst(heard));
                }
            }));
        }
        return () -> waits.forEach(Acknowledgements.Wait::close);
    }

    private static Answer worst(Set<Answer> heard) {
        synchronized (heard) {
            return heard.contains(Answer.REFUSED)
                    ? Answer.REFUSED
                    : heard.contains(Answer.LEFT) ? Answer.LEFT : Answer.SERVED;
        }
    }

    @Override
    public Wait whenNodeProxiesKnow(Runnable done) {
        var clients = acknowledgements.get();
        if (clients.isEmpty()) {
            done.run();
            return () -> {};
        }
        return clients.get().await(store, Milestone.of(store.head()), _ -> done.run())::close;
    }

    @Override
    public void forget(Map<String, Long> turns) {
        envoys.former().forget(turns);
    }

    @Override
    public void dismiss(Set<ObjectKey> waypoints) {
        envoys.dismiss(waypoints);
    }
}
