// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.work.Parts;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.ObjectWatch.Change;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/// Follows what a [NodeReach] is made of. The sink is called by threads of the watches, one at a time.
public final class ReachSource implements AutoCloseable {
    private final Consumer<NodeReach> sink;
    private final Parts parts = new Parts();
    // guarded by this
    private final Map<String, KubeObject> services = new TreeMap<>();
    private final Map<String, KubeObject> slices = new TreeMap<>();
    private final Map<String, KubeObject> nodes = new TreeMap<>();

    private ReachSource(Consumer<NodeReach> sink) {
        this.sink = sink;
    }

    /// Begins.
    ///
    /// @param namespace of the gateways
    public static ReachSource open(KubeClient client, String namespace, Consumer<NodeReach> sink) {
        var source = new ReachSource(sink);
        var ofGateways =
                KubeQuery.all(KubeResource.SERVICES).inNamespace(namespace).withLabels(NodeReach.GATEWAY_NAME);
        source.follow(client, ofGateways, source.services);
        source.follow(client, KubeQuery.all(KubeResource.ENDPOINT_SLICES).inNamespace(namespace), source.slices);
        source.follow(client, KubeQuery.all(KubeResource.NODES), source.nodes);
        return source;
    }

    private void follow(KubeClient client, KubeQuery query, Map<String, KubeObject> objects) {
        parts.keep(client.watch(query, changes -> take(changes, objects)));
    }

    private synchronized void take(List<Change> changes, Map<String, KubeObject> objects) {
        for (var change : changes) {
            switch (change) {
                case Change.Put put ->
                    objects.put(put.object().namespace() + "/" + put.object().name(), put.object());
                case Change.Remove gone -> objects.remove(gone.namespace() + "/" + gone.name());
            }
        }
        sink.accept(new NodeReach(
                List.copyOf(services.values()), List.copyOf(slices.values()), List.copyOf(nodes.values())));
    }

    @Override
    public void close() {
        parts.close();
    }
}
