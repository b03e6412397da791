// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.app.fathomd.http.ControlMetrics;
import io.fathom.app.http.JsonOut;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import io.fathom.control.clusters.ClusterRegistry;
import io.fathom.control.clusters.ClusterReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// What is shown of the clusters of the mesh: the page that `istioctl remote-clusters` asks for, and metrics.
public final class ClusterPages {
    private final String home;
    private final ClusterRegistry registry;
    private final Supplier<List<ClusterReport>> peers;
    private final Supplier<Map<List<String>, Integer>> secretEvents;

    /// @param home the id of our own cluster
    /// @param registry of those that are read
    /// @param peers those that describe themselves
    /// @param secretEvents how often Secrets that name some came, changed and went
    public ClusterPages(
            String home,
            ClusterRegistry registry,
            Supplier<List<ClusterReport>> peers,
            Supplier<Map<List<String>, Integer>> secretEvents) {
        this.home = home;
        this.registry = registry;
        this.peers = peers;
        this.secretEvents = secretEvents;
    }

    public void addTo(Pages pages, ControlMetrics metrics) {
        pages.debug("clusterz", "The clusters of the mesh, and how old what is known of them is", _ -> clusterz());
        metrics.watch(
                "istiod_managed_clusters",
                "Clusters that manifests come from.",
                List.of("cluster_type"),
                () -> Map.of(List.of("local"), 1, List.of("remote"), reports().size()));
        metrics.watch(
                "istiod_remote_cluster_sync_status",
                "Clusters by how far their first reading is.",
                List.of("cluster", "cluster_type", "status"),
                this::states);
        metrics.watch(
                "fathom_remote_cluster_age_seconds",
                "How old what is known of another cluster is; 0 while it is followed.",
                List.of("cluster"),
                this::ages);
        metrics.watch(
                "remote_cluster_secret_events_total",
                "Secrets that name other clusters, as they came, changed and went.",
                List.of("event"),
                secretEvents);
        metrics.watch(
                "remote_cluster_sync_timeouts_total",
                "How often another cluster was not read in time.",
                registry::timeouts);
    }

    private Map<List<String>, Integer> states() {
        var states = new HashMap<List<String>, Integer>();
        reports()
                .forEach(report -> states.put(
                        List.of(report.cluster(), "remote", report.state().word()), 1));
        states.put(List.of(home, "local", "synced"), 1);
        return states;
    }

    private Map<List<String>, Integer> ages() {
        var ages = new HashMap<List<String>, Integer>();
        reports()
                .forEach(report -> ages.put(
                        List.of(report.cluster()), Math.toIntExact(report.age().toSeconds())));
        return ages;
    }

    private List<ClusterReport> reports() {
        var all = new ArrayList<>(registry.reports());
        all.addAll(peers.get());
        return all;
    }

    private Page.Reply clusterz() {
        var reports = reports();
        return Page.Reply.json(json -> json.list(
                // ours first, as upstream has it
                Stream.concat(
                                Stream.of(Optional.<ClusterReport>empty()),
                                reports.stream().map(Optional::of))
                        .toList(),
                (out, report) -> out.object(it -> report.ifPresentOrElse(
                        other -> row(it, other), () -> it.text("id", home).text("syncStatus", "synced")))));
    }

    private static void row(JsonOut json, ClusterReport report) {
        json.text("id", report.cluster())
                .text("secretName", report.origin())
                .text("syncStatus", report.state().word())
                .text("network", report.network())
                .number("ageSeconds", report.age().toSeconds());
        json.object("objects", counts -> report.objects().forEach(counts::number));
        report.trouble()
                .ifPresent(problem -> json.text("code", problem.code())
                        .text("message", problem.message())
                        .text("fix", problem.fix()));
    }
}
