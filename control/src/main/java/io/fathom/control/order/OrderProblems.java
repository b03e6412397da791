// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.order;

import io.fathom.base.lang.Problem;
import io.fathom.model.mesh.Address;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Says where an order could not be kept: in the log, as a count, and as a problem of the waypoint's Gateway until it
/// is over. Thread-safe.
public final class OrderProblems implements OrderObserver {
    private static final Logger log = LoggerFactory.getLogger(OrderProblems.class);

    private final Patience patience;
    private final BiConsumer<ObjectKey, List<Problem>> gateways;
    private final LongAdder abandoned = new LongAdder();
    private final Map<ObjectKey, Integer> unanswered = new HashMap<>();
    private final Map<ObjectKey, Set<String>> refusing = new HashMap<>();

    /// @param gateways is told all problems that a Gateway has now
    public OrderProblems(Patience patience, BiConsumer<ObjectKey, List<Problem>> gateways) {
        this.patience = patience;
        this.gateways = gateways;
    }

    /// How often somebody was not waited for any longer.
    public long abandoned() {
        return abandoned.sum();
    }

    @Override
    public synchronized void unanswered(Set<ObjectKey> waypoints, int addresses) {
        abandoned.increment();
        log.atWarn()
                .addKeyValue("waypoints", paths(waypoints))
                .addKeyValue("addresses", addresses)
                .addKeyValue("after", patience.answer())
                .log("waypoint did not answer, node proxies send there all the same");
        waypoints.forEach(waypoint -> unanswered.put(waypoint, addresses));
        waypoints.forEach(this::tell);
    }

    @Override
    public synchronized void answered(Set<ObjectKey> waypoints) {
        waypoints.forEach(unanswered::remove);
        waypoints.forEach(this::tell);
    }

    @Override
    public synchronized void refused(Address address, Set<ObjectKey> waypoints) {
        log.atWarn()
                .addKeyValue("waypoints", paths(waypoints))
                .addKeyValue("address", address.resourceName())
                .log("waypoint refuses what an address needs, node proxies do not send it there");
        waypoints.forEach(waypoint ->
                refusing.computeIfAbsent(waypoint, _ -> new TreeSet<>()).add(address.resourceName()));
        waypoints.forEach(this::tell);
    }

    @Override
    public synchronized void settled(Set<String> names) {
        var touched = new HashSet<ObjectKey>();
        refusing.forEach((waypoint, own) -> {
            if (own.removeAll(names)) {
                touched.add(waypoint);
            }
        });
        refusing.values().removeIf(Set::isEmpty);
        touched.forEach(this::tell);
    }

    @Override
    public void nodeProxiesLate() {
        abandoned.increment();
        log.atWarn()
                .addKeyValue("after", patience.answer())
                .log("node proxies did not answer, waypoints drop what left them all the same");
    }

    private void tell(ObjectKey waypoint) {
        gateways.accept(
                waypoint,
                Stream.of(refusal(waypoint), silence(waypoint))
                        .flatMap(Optional::stream)
                        .toList());
    }

    private Optional<Problem> refusal(ObjectKey waypoint) {
        return Optional.ofNullable(refusing.get(waypoint))
                .map(names -> Problem.ofInput(
                        "waypoint-refuses",
                        "the proxies of waypoint " + waypoint.path() + " refuse what they need to serve "
                                + String.join(", ", names) + ": node proxies do not send it there yet",
                        "correct what the proxies refuse; see the problem envoy-refused and the log of the waypoint"));
    }

    private Optional<Problem> silence(ObjectKey waypoint) {
        return Optional.ofNullable(unanswered.get(waypoint))
                .map(addresses -> Problem.ofInput(
                        "waypoint-silent",
                        "the proxies of waypoint " + waypoint.path() + " have not acknowledged " + addresses
                                + " of the services or workloads attached to it within " + patience.answer()
                                + ": requests through it may fail",
                        "see whether its pods run and are connected: fathomctl proxy-status, /debug/syncz"));
    }

    private static String paths(Set<ObjectKey> waypoints) {
        return String.join(
                ", ", waypoints.stream().map(ObjectKey::path).sorted().toList());
    }
}
