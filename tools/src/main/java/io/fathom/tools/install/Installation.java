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
import java.util.Locale;
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
        namespace(plan.namespace());
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
                    .ifPresent(workload -> await(chart.title(), plan.namespace(), workload, patience));
            report.done(chart.title() + " installed");
        }
        for (var gateway : plan.gateways()) {
            namespace(gateway.namespace());
            helm.in(gateway.namespace()).install(place.chart(Chart.GATEWAY), gateway.name(), gateway.values());
            await(Chart.GATEWAY.title(), gateway.namespace(), Workloads.of(gateway), patience);
            report.done("Gateway %s/%s installed".formatted(gateway.namespace(), gateway.name()));
        }
    }

    private void namespace(String name) {
        if (client.get(KubeResource.NAMESPACES, "", name).isEmpty()) {
            var object = Map.of("apiVersion", "v1", "kind", "Namespace", "metadata", Map.of("name", name));
            client.apply(KubeResource.NAMESPACES, "", name, Json.of(object), MANAGER);
        }
    }

    private void await(String title, String namespace, Workloads.Workload workload, Duration patience) {
        var workloads = new Workloads(client, namespace);
        if (waiting.until(patience, () -> workloads.missing(workload).isEmpty())) {
            return;
        }
        var troubles = workloads.troubles(workload);
        throw problem(
                "not-ready",
                "%s: %s is not ready after %d s: %s%s"
                        .formatted(
                                title,
                                workload,
                                patience.toSeconds(),
                                workloads.missing(workload).orElse("it is now"),
                                troubles.isEmpty() ? "" : "; " + troubles),
                "see kubectl -n %s describe %s; then repeat the command, or wait longer with --readiness-timeout"
                        .formatted(namespace, workload.toString().toLowerCase(Locale.ROOT)));
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
