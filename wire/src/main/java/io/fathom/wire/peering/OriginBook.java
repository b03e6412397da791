// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.FeedUp;
import io.fathom.model.peering.ResourceDelta;
import io.fathom.model.peering.ServiceEndpoints;
import io.fathom.model.peering.ServiceSummary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/// What the agent of a fleet knows of other clusters, for the control planes of its own, each of which is told at its
/// own pace. Thread-safe; nothing in it blocks.
public final class OriginBook {
    /// What is known of one cluster.
    static final class HeldOrigin {
        private Optional<ClusterSummary> about = Optional.empty();
        private final Map<String, ServiceSummary> services = new HashMap<>();
        private final Map<String, ServiceEndpoints> endpoints = new HashMap<>();
        private boolean complete;

        Optional<ClusterSummary> about() {
            return about;
        }

        Map<String, ServiceSummary> services() {
            return services;
        }

        Map<String, ServiceEndpoints> endpoints() {
            return endpoints;
        }

        /// Whether this is all there is: then what is not here is nowhere.
        boolean isComplete() {
            return complete;
        }
    }

    private final Map<String, HeldOrigin> origins = new TreeMap<>();
    private final Set<String> forgotten = new TreeSet<>();
    private final List<FeedQueue> queues = new ArrayList<>();
    private FeedUp.Freshness freshness = new FeedUp.Freshness(Optional.empty(), Map.of());
    private boolean settled;

    /// Takes in what is different.
    public synchronized void tell(FeedUp.Origin change) {
        var cluster = change.cluster();
        forgotten.remove(cluster);
        var held = origins.computeIfAbsent(cluster, _ -> new HeldOrigin());
        if (change.about().isPresent() && !change.about().equals(held.about)) {
            held.about = change.about();
            queues.forEach(queue -> queue.about(cluster));
        }
        var all = change.part() == FeedUp.OriginPart.WHOLE;
        differences(held.services, change.services(), ServiceSummary::path, all)
                .forEach(path -> queues.forEach(queue -> queue.service(cluster, path)));
        differences(held.endpoints, change.endpoints(), ServiceEndpoints::path, all)
                .forEach(path -> queues.forEach(queue -> queue.endpoints(cluster, path)));
        if (change.part().ends() && !held.complete) {
            held.complete = true;
            queues.forEach(queue -> queue.whole(cluster, held));
        }
        queues.forEach(FeedQueue::wake);
    }

    /// Brings what is held up to date, and says what was different.
    private static <T> Set<String> differences(
            Map<String, T> held, ResourceDelta<T> change, Function<T, String> naming, boolean all) {
        var different = new TreeSet<String>();
        var named = new HashSet<String>();
        for (var value : change.changed()) {
            var path = naming.apply(value);
            named.add(path);
            if (!value.equals(held.put(path, value))) {
                different.add(path);
            }
        }
        var gone = all
                ? held.keySet().stream().filter(path -> !named.contains(path)).toList()
                : change.gone();
        for (var path : gone) {
            if (held.remove(path) != null) {
                different.add(path);
            }
        }
        return different;
    }

    /// The cluster has left, or shares no more with this one.
    public synchronized void forget(String cluster) {
        origins.remove(cluster);
        if (forgotten.add(cluster)) {
            queues.forEach(queue -> queue.forget(cluster));
            queues.forEach(FeedQueue::wake);
        }
    }

    /// Everything that is known has been told; later ones are changes.
    public synchronized void settle() {
        if (!settled) {
            settled = true;
            queues.forEach(FeedQueue::settle);
            queues.forEach(FeedQueue::wake);
        }
    }

    /// How old what is known is.
    public synchronized void age(Optional<Duration> server, Map<String, Duration> clusters) {
        freshness = new FeedUp.Freshness(server, clusters);
        queues.forEach(FeedQueue::freshness);
        queues.forEach(FeedQueue::wake);
    }

    /// Whatever one control plane has not been told yet: at first, everything.
    ///
    /// @param wake called when there is more, under the lock of the book
    synchronized FeedQueue open(Runnable wake) {
        var queue = new FeedQueue(this, wake);
        queues.add(queue);
        forgotten.forEach(queue::forget);
        origins.forEach((cluster, held) -> queue.whole(cluster, held));
        queue.freshness();
        if (settled) {
            queue.settle();
        }
        return queue;
    }

    synchronized void close(FeedQueue queue) {
        queues.remove(queue);
    }

    Optional<HeldOrigin> origin(String cluster) {
        return Optional.ofNullable(origins.get(cluster));
    }

    FeedUp.Freshness ages() {
        return freshness;
    }
}
