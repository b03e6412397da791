// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet.simulation;

import io.fathom.fleet.agent.LocalControlPlane;
import io.fathom.model.fleet.ExportChange;
import io.fathom.model.fleet.OriginView;
import io.fathom.model.peering.ServiceSummary;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Stands for the control plane of a cluster: holds what it is told, and judges each thing when it comes. A service has
/// its address for as long as any cluster has it.
final class ToldServices implements LocalControlPlane {
    /// By cluster and path.
    private final Map<String, Map<String, ServiceSummary>> told = new HashMap<>();

    /// How many clusters have each service.
    private final Map<String, Integer> holders = new HashMap<>();
    private final Set<String> homeless = new HashSet<>();
    private final BiFunction<String, ServiceSummary, ServiceSummary> heard;
    private final BiConsumer<String, String> lost;

    /// @param heard gets each service of a cluster that it is told of, and gives back an equal one to keep
    /// @param lost gets each path of a cluster that is taken away, while the cluster stays
    ToldServices(BiFunction<String, ServiceSummary, ServiceSummary> heard, BiConsumer<String, String> lost) {
        this.heard = heard;
        this.lost = lost;
    }

    Map<String, Map<String, ServiceSummary>> told() {
        return told;
    }

    /// Services that had an address and have none, since this was asked last.
    Set<String> takeHomeless() {
        if (homeless.isEmpty()) {
            return Set.of();
        }
        var gone = new HashSet<>(homeless);
        gone.removeIf(holders::containsKey);
        homeless.clear();
        return gone;
    }

    @Override
    public void follow(Consumer<ExportChange> exports, Supplier<Collection<OriginView>> known) {}

    @Override
    public void tell(OriginView view) {
        var cluster = view.cluster().cluster();
        var services = told.computeIfAbsent(cluster, _ -> new HashMap<>());
        var changed = new HashMap<String, ServiceSummary>();
        view.changed().forEach(service -> changed.put(service.path(), heard.apply(cluster, service)));
        if (view.extent() == OriginView.Extent.ALL) {
            for (var path : Set.copyOf(services.keySet())) {
                if (!changed.containsKey(path)) {
                    remove(services, path);
                    lost.accept(cluster, path);
                }
            }
        }
        view.removedPaths().forEach(path -> {
            if (services.containsKey(path)) {
                remove(services, path);
                lost.accept(cluster, path);
            }
        });
        changed.forEach((path, service) -> {
            if (services.put(path, service) == null) {
                holders.merge(path, 1, Integer::sum);
            }
        });
    }

    private void remove(Map<String, ServiceSummary> services, String path) {
        services.remove(path);
        if (holders.computeIfPresent(path, (_, count) -> count == 1 ? null : count - 1) == null) {
            homeless.add(path);
        }
    }

    @Override
    public void forget(String cluster) {
        var services = told.remove(cluster);
        if (services != null) {
            Set.copyOf(services.keySet()).forEach(path -> remove(services, path));
        }
    }

    @Override
    public void close() {}
}
