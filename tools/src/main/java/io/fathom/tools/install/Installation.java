// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Puts a mesh into a cluster, part by part, each when the one before it is ready. May be repeated: what is there is
/// changed. Blocks the caller.
final class Installation {
    private static final String MANAGER = "fathomctl";

    private final InstallTarget place;
    private final MeshPlan plan;
    private final KubeClient client;
    private final Helm helm;
    private final Report report;
    private final Waiting waiting = new Waiting();

    /// Which parts a run may touch that are there already.
    enum Existing {
        /// All.
        CHANGE,
        /// Only the control plane of the revision: a second one next to the first must not move nodes over to it.
        KEEP_SHARED
    }

    Installation(InstallTarget place, MeshPlan plan, KubeClient client, Helm helm, Report report) {
        this.place = place;
        this.plan = plan;
        this.client = client;
        this.helm = helm;
        this.report = report;
    }

    /// Makes sure that the kinds are there that a mesh is made of.
    ///
    /// @param from where to install them from
    /// @throws ProblemException when some are missing
    void definitions(Optional<Path> from) {
        from.ifPresent(folder -> {
            var count = Definitions.apply(client, folder, waiting);
            report.done(count + " kinds of Istio and the Gateway API installed");
        });
        var missing = Definitions.missing(client);
        if (!missing.isEmpty()) {
            throw problem(
                    "missing-kinds",
                    "the cluster has no " + String.join(", ", missing),
                    "install the CRDs of Istio and of the Gateway API: kubectl apply --server-side -f FILE, or name their"
                            + " folder with --crds DIR");
        }
    }

    void run(Existing existing, Duration patience) {
        var there = helm.releases().stream().map(Helm.Release::name).collect(Collectors.toSet());
        namespace(client, plan.namespace());
        for (var chart : Chart.PARTS) {
            var values = plan.values().get(chart);
            if (values == null) {
                continue;
            }
            var release = chart.release(plan.revision());
            if (existing == Existing.KEEP_SHARED && chart != Chart.CONTROL_PLANE && there.contains(release)) {
                report.say("  " + chart.title() + " is left as it is");
                continue;
            }
            helm.install(place.chart(chart), release, values);
            Workloads.of(chart, plan.revision())
                    .ifPresent(workload ->
                            new Workloads(client, plan.namespace()).await(chart.title(), workload, patience));
            report.done(chart.title() + " installed");
        }
        for (var gateway : plan.gateways()) {
            namespace(client, gateway.namespace());
            helm.in(gateway.namespace()).install(place.chart(Chart.GATEWAY), gateway.name(), gateway.values());
            new Workloads(client, gateway.namespace()).await(Chart.GATEWAY.title(), Workloads.of(gateway), patience);
            report.done("Gateway %s/%s installed".formatted(gateway.namespace(), gateway.name()));
        }
    }

    /// Sees to it that a namespace is there.
    static void namespace(KubeClient client, String name) {
        if (client.get(KubeResource.NAMESPACES, "", name).isEmpty()) {
            var object = Map.of("apiVersion", "v1", "kind", "Namespace", "metadata", Map.of("name", name));
            client.apply(KubeResource.NAMESPACES, "", name, Json.of(object), MANAGER);
        }
    }

    /// The control planes that are installed: their releases.
    static List<Helm.Release> controlPlanes(Helm helm) {
        return helm.releases().stream()
                .filter(release -> Chart.of(release.chart()).equals(Optional.of(Chart.CONTROL_PLANE)))
                .toList();
    }

    static ProblemException problem(String code, String message, String fix) {
        return new ProblemException(new Problem(code, message, fix, Problem.Origin.CLIENT, Problem.Retry.SENSIBLE));
    }
}
