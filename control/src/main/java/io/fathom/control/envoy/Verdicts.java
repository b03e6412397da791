package io.fathom.control.envoy;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.fathom.base.flow.Flow;
import io.fathom.control.envoy.waypoint.ServicePart;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.xds.ResourceStore;
import io.fathom.wire.xds.Verdict;
import io.fathom.wire.xds.XdsType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hears what proxies say to their configuration and draws the consequences, one after the other on a thread of its
/// own:
/// streams must not wait for them. Any thread may call.
final class Verdicts implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Verdicts.class);
    private static final String SHARED_LISTENER = "main_internal";

    /// What is in the store of a group.
    ///
    /// @param sequence since when
    private record Published(ObjectKey group, long sequence, Map<PartKey, ServicePart> parts) {}

    private final Flow flow;
    private final EnvoyTables tables;
    private final Map<ResourceStore, Published> published = new ConcurrentHashMap<>();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("envoy-verdicts").factory());

    Verdicts(Flow flow, EnvoyTables tables) {
        this.flow = flow;
        this.tables = tables;
    }

    /// Called by whoever publishes.
    @SuppressWarnings("ReferenceEquality") // rows of the flow are kept while they are equal
    void published(ObjectKey group, ResourceStore store, long sequence) {
        var parts = flow.cut()
                .of(tables.waypoints())
                .find(group)
                .map(EnvoyTables.WaypointPlan::parts)
                .orElse(Map.of());
        published.merge(
                store,
                new Published(group, sequence, parts),
                (before, now) -> before.parts().equals(now.parts()) ? before : now);
    }

    void accepted(ResourceStore store, Verdict verdict) {
        var latest = published.get(store);
        if (latest == null) {
            return;
        }
        if (verdict.type().equals(XdsType.LISTENER)
                && verdict.names().contains(SHARED_LISTENER)
                && verdict.sequence() >= latest.sequence()) {
            later(() -> {
                tables.quarantine().accepted(latest.group(), latest.parts());
                tables.quarantine().withdraw(Quarantine.whole(latest.group()));
            });
        }
        if (!verdict.type().equals(XdsType.ENDPOINTS)) { // of which nobody refuses any, and there are many
            later(() -> verdict.names()
                    .forEach(name ->
                            tables.quarantine().withdraw(new ResourceKey(latest.group(), verdict.type(), name))));
        }
    }

    @SuppressWarnings("ReferenceEquality") // whether it is still the latest
    void refused(ResourceStore store, Verdict verdict, String error) {
        var latest = published.get(store);
        if (latest == null) {
            return;
        }
        if (verdict.type().equals(XdsType.LISTENER) && verdict.names().contains(SHARED_LISTENER)) {
            if (verdict.sequence() >= latest.sequence()) { // else something newer is on its way
                later(() -> {
                    if (latest.equals(published.get(store))) {
                        tables.quarantine().refused(latest.group(), latest.parts(), error);
                    }
                });
            }
        } else {
            later(() -> verdict.names().forEach(name -> report(latest.group(), verdict.type(), name, error)));
        }
    }

    /// A store that nobody publishes to any more.
    void forget(ResourceStore store) {
        published.remove(store);
    }

    /// A group that is gone.
    void forget(ObjectKey group) {
        later(() -> tables.quarantine().forget(group));
    }

    private void report(ObjectKey group, XdsType type, String name, String error) {
        var key = new ResourceKey(group, type, name);
        var origin = tables.messages().stream()
                .flatMap(table -> flow.cut().of(table).find(key).stream())
                .filter(Cluster.class::isInstance)
                .map(message -> Refusal.of(((Cluster) message).getMetadata(), group, error))
                .findFirst()
                .orElseGet(() -> Refusal.ofGateway(group, error));
        tables.quarantine().report(key, origin);
    }

    private void later(Runnable task) {
        try {
            thread.execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException e) {
                    log.atError().setCause(e).log("a proxy's answer was not understood");
                }
            });
        } catch (RejectedExecutionException e) {
            // Closing: nobody asks any more.
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
