package io.fathom.control.envoy;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.fathom.base.flow.Flow;
import io.fathom.control.envoy.Ingredients.Made;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.xds.ResourceBatch;
import io.fathom.wire.xds.ResourceStore;
import io.fathom.wire.xds.Verdict;
import io.fathom.wire.xds.XdsType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hears what proxies say to their configuration and draws the consequences, one after the other on a thread of its
/// own: streams must not wait for them. Any thread may call.
final class Verdicts implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Verdicts.class);

    private final Flow flow;
    private final EnvoyTables tables;
    private final Trials trials;
    private final Map<ResourceStore, ObjectKey> groups = new HashMap<>(); // guarded by this
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("envoy-verdicts").factory());

    Verdicts(Flow flow, EnvoyTables tables) {
        this.flow = flow;
        this.tables = tables;
        this.trials = new Trials(tables.quarantine(), this::parts);
    }

    /// Publishes, and remembers what verdicts on it will be about. No verdict is looked at before both are done: on a
    /// busy machine a proxy can be quicker than the second.
    synchronized void publish(ObjectKey group, ResourceStore store, ResourceBatch batch) {
        groups.put(store, group);
        var sequence = store.publish(batch).sequence();
        batch.names((type, name) -> {
            var resource = new ResourceKey(group, type, name);
            parts(resource)
                    .ifPresentOrElse(
                            parts -> trials.published(store, resource, sequence, parts),
                            () -> trials.withdrawn(store, resource));
        });
    }

    private Optional<Map<PartKey, Ingredient>> parts(ResourceKey resource) {
        return flow.cut().of(tables.made()).find(resource).map(Made::admitted);
    }

    private synchronized Optional<ObjectKey> group(ResourceStore store) {
        return Optional.ofNullable(groups.get(store));
    }

    void accepted(ResourceStore store, Verdict verdict) {
        if (verdict.type().equals(XdsType.ENDPOINTS)) {
            return; // nobody refuses any, and there are many
        }
        later(() -> {
            for (var resource : resources(store, verdict)) {
                trials.accepted(store, resource, verdict.sequence());
                tables.refusals().withdraw(resource);
            }
        });
    }

    /// A store that nobody publishes to any more.
    synchronized void forget(ResourceStore store) {
        groups.remove(store);
        trials.forget(store);
    }

    /// A group that is gone.
    void forget(ObjectKey group) {
        later(() -> {
            tables.quarantine().forget(group);
            tables.refusals().forget(group);
        });
    }

    void refused(ResourceStore store, Verdict verdict, String error) {
        later(() -> {
            // Those that one of our parts explains; without any, all of them.
            var unexplained = new ArrayList<ResourceKey>();
            for (var resource : resources(store, verdict)) {
                if (!trials.refused(store, resource, verdict.sequence(), error)) {
                    unexplained.add(resource);
                }
            }
            if (unexplained.size() == verdict.names().size()) {
                unexplained.forEach(resource -> report(resource, error));
            }
        });
    }

    private List<ResourceKey> resources(ResourceStore store, Verdict verdict) {
        return group(store)
                .map(group -> verdict.names().stream()
                        .map(name -> new ResourceKey(group, verdict.type(), name))
                        .toList())
                .orElse(List.of());
    }

    private void report(ResourceKey key, String error) {
        var origin = tables.messages().stream()
                .flatMap(table -> flow.cut().of(table).find(key).stream())
                .filter(Cluster.class::isInstance)
                .map(message -> Refusal.of(((Cluster) message).getMetadata(), key.group(), error))
                .findFirst()
                .orElseGet(() -> Refusal.ofGateway(key.group(), error));
        tables.refusals().report(key, origin);
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
