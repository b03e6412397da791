// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/// The Deployments and DaemonSets of a mesh: which belong to a part, and why one is not ready. Blocks the caller.
record Workloads(KubeClient client, String namespace) {
    /// A Deployment or DaemonSet by its name.
    record Workload(KubeResource resource, String kind, String name) {
        @Override
        public String toString() {
            return kind + " " + name;
        }
    }

    /// What runs a part; nothing runs the base, and gateways have names of their own.
    static Optional<Workload> of(Chart chart, String revision) {
        return switch (chart) {
            case BASE, GATEWAY -> Optional.empty();
            case CONTROL_PLANE ->
                Optional.of(new Workload(KubeResource.DEPLOYMENTS, "Deployment", chart.release(revision)));
            case NODE_AGENT -> Optional.of(new Workload(KubeResource.DAEMON_SETS, "DaemonSet", "istio-cni-node"));
            case NODE_PROXY -> Optional.of(new Workload(KubeResource.DAEMON_SETS, "DaemonSet", "ztunnel"));
        };
    }

    static Workload of(GatewayRelease gateway) {
        return new Workload(KubeResource.DEPLOYMENTS, "Deployment", gateway.name());
    }

    /// What it lacks to be ready; empty when it is.
    Optional<String> missing(Workload workload) {
        return client.get(workload.resource(), namespace, workload.name())
                .map(Rollout::missing)
                .orElse(Optional.of("it does not exist"));
    }

    /// Returns when it is ready.
    ///
    /// @param title of what it belongs to
    void await(String title, Workload workload, Duration patience) {
        if (new Waiting().until(patience, () -> missing(workload).isEmpty())) {
            return;
        }
        var troubles = troubles(workload);
        throw Installation.problem(
                "not-ready",
                "%s: %s is not ready after %d s: %s%s"
                        .formatted(
                                title,
                                workload,
                                patience.toSeconds(),
                                missing(workload).orElse("it is now"),
                                troubles.isEmpty() ? "" : "; " + troubles),
                "see kubectl -n %s describe %s; then repeat the command, or wait longer with --readiness-timeout"
                        .formatted(namespace, workload.toString().toLowerCase(Locale.ROOT)));
    }

    /// The pods of it that are not ready and why, at most three.
    String troubles(Workload workload) {
        return client.get(workload.resource(), namespace, workload.name()).map(this::pods).orElse(List.of()).stream()
                .sorted(Comparator.comparing(KubeObject::name))
                .flatMap(pod -> Rollout.trouble(pod).map(why -> "pod " + pod.name() + ": " + why).stream())
                .limit(3)
                .collect(Collectors.joining("; "));
    }

    /// The pods that a Deployment or DaemonSet selects.
    List<KubeObject> pods(KubeObject workload) {
        var labels = workload.root().at("spec").at("selector").at("matchLabels").textMap().entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(","));
        return client.list(
                        KubeQuery.all(KubeResource.PODS).inNamespace(namespace).withLabels(labels))
                .items();
    }
}
