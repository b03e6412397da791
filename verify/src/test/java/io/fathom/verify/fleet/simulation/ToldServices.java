// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.fleet.agent.LocalControlPlane;
import io.fathom.model.fleet.ExportChange;
import io.fathom.model.fleet.OriginView;
import io.fathom.model.peering.ServiceSummary;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Stands for the control plane of a cluster: holds what it is told, and judges each thing when it comes.
final class ToldServices implements LocalControlPlane {
    /// By cluster and path.
    private final Map<String, Map<String, ServiceSummary>> told = new HashMap<>();

    private final BiConsumer<String, ServiceSummary> heard;
    private final BiConsumer<String, String> lost;

    /// @param heard gets each service of a cluster that it is told of
    /// @param lost gets each path of a cluster that is taken away, while the cluster stays
    ToldServices(BiConsumer<String, ServiceSummary> heard, BiConsumer<String, String> lost) {
        this.heard = heard;
        this.lost = lost;
    }

    Map<String, Map<String, ServiceSummary>> told() {
        return told;
    }

    @Override
    public void follow(Consumer<ExportChange> exports, Supplier<Collection<OriginView>> known) {}

    @Override
    public void tell(OriginView view) {
        var cluster = view.cluster().cluster();
        var services = told.computeIfAbsent(cluster, _ -> new HashMap<>());
        var changed = new HashMap<String, ServiceSummary>();
        view.changed().forEach(service -> {
            heard.accept(cluster, service);
            changed.put(service.path(), service);
        });
        if (view.extent() == OriginView.Extent.ALL) {
            services.keySet().stream()
                    .filter(path -> !changed.containsKey(path))
                    .forEach(path -> lost.accept(cluster, path));
            services.clear();
        }
        view.removedPaths().forEach(path -> {
            if (services.remove(path) != null) {
                lost.accept(cluster, path);
            }
        });
        services.putAll(changed);
    }

    @Override
    public void forget(String cluster) {
        told.remove(cluster);
    }

    @Override
    public void close() {}
}
