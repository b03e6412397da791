package io.fathom.control.envoy;

import io.fathom.base.flow.Change;
import io.fathom.base.flow.Commit;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.xds.ClientNode;
import io.fathom.wire.xds.ProxyFeeds;
import io.fathom.wire.xds.ResourceBatch;
import io.fathom.wire.xds.ResourceStore;
import io.fathom.wire.xds.XdsResource;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/// What Envoys are configured with: tables on the flow of a mesh, and a store for each proxy group that follows them.
///
/// Subscribed to the mesh, it puts what a batch has changed into the stores of those groups that it concerns, on the
/// thread that brought the batch. Stores may be asked for from any thread.
public final class EnvoyMesh implements Consumer<Commit>, ProxyFeeds {
    private final EnvoyTables tables;
    private final InstantSource clock;
    private final String clusterId;
    /// Also of groups that are not there yet, when a proxy asks.
    private final Map<ObjectKey, ResourceStore> stores = new ConcurrentHashMap<>();

    public EnvoyMesh(MeshFlow mesh, InstantSource clock) {
        this.tables = new EnvoyTables(mesh);
        this.clock = clock;
        this.clusterId = mesh.config().clusterId();
    }

    @Override
    public void accept(Commit commit) {
        var batches = new HashMap<ObjectKey, ResourceBatch>();
        for (var table : tables.messages()) {
            commit.changes(table)
                    .forEach(change -> collect(
                            batches,
                            change,
                            message -> XdsResource.of(change.key().name(), message)));
        }
        commit.changes(tables.endpoints()).forEach(change -> collect(batches, change, Encoded::resource));
        batches.forEach((group, batch) -> store(group).publish(batch));
    }

    private static <V> void collect(
            Map<ObjectKey, ResourceBatch> batches, Change<ResourceKey, V> change, Function<V, XdsResource> encode) {
        var key = change.key();
        var batch = batches.computeIfAbsent(key.group(), _ -> new ResourceBatch());
        change.current()
                .ifPresentOrElse(
                        row -> batch.put(key.type(), encode.apply(row)), () -> batch.remove(key.type(), key.name()));
    }

    /// A waypoint or gateway names its Gateway in a label of its pod.
    @Override
    public Optional<ResourceStore> feed(ClientNode client) {
        return switch (client.type()) {
            case WAYPOINT, ROUTER ->
                Optional.ofNullable(client.labels().get(Groups.GATEWAY_NAME))
                        .map(name -> store(new ObjectKey(cluster(client), client.namespace(), name)));
            case SIDECAR, ZTUNNEL -> Optional.empty();
        };
    }

    private String cluster(ClientNode client) {
        return client.clusterId().isEmpty() ? clusterId : client.clusterId();
    }

    private ResourceStore store(ObjectKey group) {
        return stores.computeIfAbsent(group, _ -> new ResourceStore(clock));
    }
}
