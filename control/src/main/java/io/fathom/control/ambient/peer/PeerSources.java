// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.peer;

import io.fathom.base.flow.Cut;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ServiceEndpoints;
import io.fathom.model.peering.ServiceSummary;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/// Where summaries of other clusters enter the flow. Each cluster may come on a thread of its own; a large batch is
/// taken in step by step, so that others get their turn in between.
public final class PeerSources {
    private static final int STEP = 100;

    private final Flow flow;
    private final Source<String, ClusterSummary> clusters;
    private final Source<PeerServiceKey, ServiceSummary> services;
    private final Source<PeerServiceKey, ServiceEndpoints> endpoints;
    private final Table<String, String> networks;

    public PeerSources(Flow flow) {
        this.flow = flow;
        clusters = flow.source("peers/clusters");
        services = flow.source("peers/services");
        endpoints = flow.source("peers/endpoints");
        networks = flow.derive("peers/networks", clusters, (fetch, cluster) -> Optional.of(cluster.network()));
    }

    /// What they tell of their services, whether it counts here or not.
    public Table<PeerServiceKey, ServiceSummary> services() {
        return services;
    }

    Table<PeerServiceKey, ServiceEndpoints> endpoints() {
        return endpoints;
    }

    /// What clusters say of themselves.
    public Table<String, ClusterSummary> clusters() {
        return clusters;
    }

    /// The networks that clusters say they are on; empty where those have no name.
    public Table<String, String> networks() {
        return networks;
    }

    /// What a cluster says of itself.
    ///
    /// @param cluster as we call it
    public void put(String cluster, ClusterSummary summary) {
        flow.update(update -> update.put(clusters, cluster, summary));
    }

    /// What changed in a cluster.
    ///
    /// @param gone `namespace/name` of services that it shares no longer
    public void apply(String cluster, List<ServiceSummary> changed, Collection<String> gone) {
        apply(services, ServiceSummary::path, cluster, changed, gone);
    }

    /// The same of endpoints, which a cluster on our own network tells us.
    public void applyEndpoints(String cluster, List<ServiceEndpoints> changed, Collection<String> gone) {
        apply(endpoints, ServiceEndpoints::path, cluster, changed, gone);
    }

    private <T> void apply(
            Source<PeerServiceKey, T> source,
            Function<T, String> naming,
            String cluster,
            List<T> changed,
            Collection<String> gone) {
        var paths = List.copyOf(gone);
        for (int from = 0; from < Math.max(changed.size(), paths.size()); from += STEP) {
            var puts = part(changed, from);
            var removals = part(paths, from);
            flow.update(update -> {
                puts.forEach(row -> update.put(source, new PeerServiceKey(cluster, naming.apply(row)), row));
                removals.forEach(path -> update.remove(source, new PeerServiceKey(cluster, path)));
            });
        }
    }

    /// What there is of a cluster once all of it has been told.
    ///
    /// @param kept `namespace/name` of the services that it shares
    /// @param keptEndpoints likewise of those whose endpoints it tells
    public void retain(String cluster, Set<String> kept, Set<String> keptEndpoints) {
        applyEndpoints(cluster, List.of(), others(endpoints, cluster, keptEndpoints));
        apply(cluster, List.of(), others(services, cluster, kept));
    }

    private <T> List<String> others(Source<PeerServiceKey, T> source, String cluster, Set<String> kept) {
        return paths(flow.cut(), source, cluster).stream()
                .filter(path -> !kept.contains(path))
                .toList();
    }

    /// Forgets a cluster: afterwards nothing of it is left.
    public void remove(String cluster) {
        applyEndpoints(cluster, List.of(), paths(flow.cut(), endpoints, cluster));
        apply(cluster, List.of(), paths(flow.cut(), services, cluster));
        flow.update(update -> update.remove(clusters, cluster));
    }

    /// How many services a cluster shares.
    public int count(String cluster) {
        return paths(flow.cut(), services, cluster).size();
    }

    /// What a cluster has said of itself.
    public Optional<ClusterSummary> cluster(String cluster) {
        return flow.cut().of(clusters).find(cluster);
    }

    /// What each cluster has said of itself.
    public Map<String, ClusterSummary> all() {
        var all = new TreeMap<String, ClusterSummary>();
        flow.cut().of(clusters).forEach(all::put);
        return all;
    }

    private static <T> List<String> paths(Cut cut, Source<PeerServiceKey, T> source, String cluster) {
        var paths = new ArrayList<String>();
        cut.of(source).forEach((key, _) -> {
            if (key.cluster().equals(cluster)) {
                paths.add(key.path());
            }
        });
        return paths;
    }

    private static <T> List<T> part(List<T> all, int from) {
        return from >= all.size() ? List.of() : all.subList(from, Math.min(all.size(), from + STEP));
    }
}
