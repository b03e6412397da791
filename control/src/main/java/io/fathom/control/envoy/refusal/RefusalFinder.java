// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.refusal;

import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.envoy.refusal.Ingredients.Made;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.xds.store.ResourceBatch;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hears each ACK and NACK of Envoys and draws the consequences, one after the other on a thread of its own: streams
/// must not wait for them. Any thread may call.
public final class RefusalFinder implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RefusalFinder.class);

    /// What resources are made of, and what is known of refusals.
    public record Tables(
            Quarantine quarantine,
            Refusals refusals,
            Table<ResourceKey, Made> made,
            List<Table<ResourceKey, Message>> messages) {
        public Tables {
            messages = List.copyOf(messages);
        }
    }

    private final Flow flow;
    private final Tables tables;
    private final Function<ResourceStore, Optional<ObjectKey>> groups;
    private final PublishedParts published;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("envoy-refusals").factory());

    /// @param groups whose store it is. It must wait while somebody publishes, until [#published] has returned: on a
    ///     busy machine a proxy answers before.
    public RefusalFinder(Flow flow, Tables tables, Function<ResourceStore, Optional<ObjectKey>> groups) {
        this.flow = flow;
        this.tables = tables;
        this.groups = groups;
        this.published = new PublishedParts(tables.quarantine(), this::parts);
    }

    /// Remembers what answers to it will be about.
    ///
    /// @param sequence of the store with the batch
    public void published(ObjectKey group, ResourceStore store, long sequence, ResourceBatch batch) {
        batch.names((type, name) -> {
            var resource = new ResourceKey(group, type, name);
            parts(resource)
                    .ifPresentOrElse(
                            parts -> published.published(store, resource, sequence, parts),
                            () -> published.withdrawn(store, resource));
        });
    }

    private Optional<Map<PartKey, Ingredient>> parts(ResourceKey resource) {
        return flow.cut().of(tables.made()).find(resource).map(Made::admitted);
    }

    /// An ACK.
    public void accepted(ResourceStore store, Verdict verdict) {
        if (verdict.type().equals(XdsType.ENDPOINTS)) {
            return; // nobody refuses any, and there are many
        }
        later(() -> {
            for (var resource : resources(store, verdict)) {
                published.accepted(store, resource, verdict.sequence());
                tables.refusals().withdraw(resource);
            }
        });
    }

    /// A NACK.
    public void refused(ResourceStore store, Verdict verdict, String error) {
        later(() -> {
            // Those that one of our parts explains; without any, all of them.
            var unexplained = new ArrayList<ResourceKey>();
            for (var resource : resources(store, verdict)) {
                if (!published.refused(store, resource, verdict.sequence(), error)) {
                    unexplained.add(resource);
                }
            }
            if (unexplained.size() == verdict.names().size()) {
                unexplained.forEach(resource -> report(resource, error));
            }
        });
    }

    /// A store that nobody publishes to any more.
    public void forget(ResourceStore store) {
        published.forget(store);
    }

    /// A group that is gone.
    public void forget(ObjectKey group) {
        later(() -> {
            tables.quarantine().forget(group);
            tables.refusals().forget(group);
        });
    }

    private List<ResourceKey> resources(ResourceStore store, Verdict verdict) {
        return groups.apply(store)
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
