// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Tree;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Looks whether an installed mesh is well and says so line by line, with what to do where it is not: every object of
/// every release, every node, the webhook, the kinds, the versions. Changes nothing. Blocks the caller.
record Verification(KubeClient client, Helm helm, String namespace, Report report) {
    private static final String REPEAT = "repeat fathomctl install";

    /// @param revision only the control plane of that one; empty for all
    void run(Optional<String> revision) {
        definitions();
        var releases = releases(revision);
        releases.forEach(release -> {
            release(release);
            objects(release);
        });
        var charts = releases.stream()
                .map(release -> Chart.of(release.chart()).orElseThrow())
                .collect(Collectors.toSet());
        versions(releases);
        root(charts);
        node(charts, Chart.NODE_AGENT);
        node(charts, Chart.NODE_PROXY);
    }

    private void definitions() {
        var missing = Definitions.missing(client);
        if (missing.isEmpty()) {
            report.done("Kinds: all %d that are needed".formatted(Definitions.NEEDED.size()));
        }
        missing.forEach(name -> report.failed(
                "CustomResourceDefinition %s is not there".formatted(name),
                "install the CRDs of Istio and of the Gateway API, for instance with fathomctl install --crds DIR"));
    }

    private List<Helm.Release> releases(Optional<String> revision) {
        var ours = helm.releases().stream()
                .filter(release -> Chart.of(release.chart()).isPresent())
                .filter(release -> revision.isEmpty()
                        || Chart.of(release.chart()).orElseThrow() != Chart.CONTROL_PLANE
                        || release.name().equals(Chart.CONTROL_PLANE.release(revision.get())))
                .toList();
        if (ours.stream().noneMatch(release -> Chart.of(release.chart()).orElseThrow() == Chart.CONTROL_PLANE)) {
            report.failed(
                    "no control plane%s is installed in %s"
                            .formatted(
                                    revision.map(name -> " of revision " + name).orElse(""), namespace),
                    "install one: fathomctl install");
        }
        return ours;
    }

    private void release(Helm.Release release) {
        if (!release.status().equals("deployed")) {
            report.failed("release %s is %s".formatted(release.name(), release.status()), REPEAT);
        }
    }

    private void objects(Helm.Release release) {
        var fine = 0;
        for (var object : helm.objects(release.name())) {
            var before = report.failures();
            KnownKinds.of(object).ifPresent(resource -> object(release, resource, object));
            fine += report.failures() == before ? 1 : 0;
        }
        report.done("%s: %d objects of release %s"
                .formatted(Chart.of(release.chart()).orElseThrow().title(), fine, release.name()));
    }

    private void object(Helm.Release release, KubeResource resource, Tree wanted) {
        var root = Field.root(wanted);
        var kind = root.at("kind").text();
        var name = root.at("metadata").at("name").text();
        var home = resource.scope() == KubeResource.Scope.CLUSTER
                ? ""
                : root.at("metadata").at("namespace").text(namespace);
        var found = client.get(resource, home, name);
        if (found.isEmpty()) {
            report.failed(
                    "%s %s%s of release %s is not there"
                            .formatted(kind, home.isEmpty() ? "" : home + "/", name, release.name()),
                    REPEAT);
            return;
        }
        switch (kind) {
            case "Deployment", "DaemonSet" -> workload(resource, kind, found.get());
            case "ValidatingWebhookConfiguration" -> webhook(found.get());
            default -> {} // being there is all that it can do
        }
    }

    private void workload(KubeResource resource, String kind, KubeObject found) {
        Rollout.missing(found).ifPresent(missing -> {
            var troubles =
                    new Workloads(client, namespace).troubles(new Workloads.Workload(resource, kind, found.name()));
            report.failed(
                    "%s %s is not ready: %s%s"
                            .formatted(kind, found.name(), missing, troubles.isEmpty() ? "" : "; " + troubles),
                    "see kubectl -n %s describe %s %s"
                            .formatted(namespace, kind.toLowerCase(Locale.ROOT), found.name()));
        });
    }

    private void webhook(KubeObject found) {
        for (var hook : found.root().at("webhooks").items()) {
            if (hook.at("clientConfig").at("caBundle").text().isEmpty()) {
                report.failed(
                        "ValidatingWebhookConfiguration %s has no authority for %s"
                                .formatted(found.name(), hook.at("name").text()),
                        "the control plane fills it in when it is ready: look at its log for forbidden calls");
                return;
            }
        }
    }

    private void versions(List<Helm.Release> releases) {
        var versions = releases.stream().map(Helm.Release::appVersion).collect(Collectors.toCollection(TreeSet::new));
        if (versions.size() > 1) {
            var each = releases.stream()
                    .map(release -> release.name() + " " + release.appVersion())
                    .collect(Collectors.joining(", "));
            report.failed("parts have different versions: " + each, "bring all to one: fathomctl upgrade");
        } else if (versions.size() == 1) {
            report.done("Version: " + versions.first());
        }
    }

    private void root(Set<Chart> charts) {
        if (!charts.contains(Chart.CONTROL_PLANE)) {
            return;
        }
        if (client.get(KubeResource.CONFIG_MAPS, namespace, "istio-ca-root-cert")
                .isPresent()) {
            report.done("Root certificate in ConfigMap istio-ca-root-cert");
        } else {
            report.failed(
                    "ConfigMap %s/istio-ca-root-cert is not there: node proxies cannot start".formatted(namespace),
                    "the control plane makes it when it is ready: look at its log");
        }
    }

    /// Each node that can have one must have a ready pod of a DaemonSet.
    private void node(Set<Chart> charts, Chart chart) {
        if (!charts.contains(chart)) {
            return;
        }
        var workload = Workloads.of(chart, "").orElseThrow();
        var found = client.get(workload.resource(), namespace, workload.name());
        if (found.isEmpty()) {
            return; // told already
        }
        var ready = new Workloads(client, namespace)
                .pods(found.get()).stream()
                        .filter(Rollout::isReady)
                        .map(pod -> pod.root().at("spec").at("nodeName").text())
                        .collect(Collectors.toSet());
        var selector = found.get()
                .root()
                .at("spec")
                .at("template")
                .at("spec")
                .at("nodeSelector")
                .textMap();
        var labels = selector.entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(","));
        var nodes = client.list(KubeQuery.all(KubeResource.NODES).withLabels(labels))
                .items();
        nodes.stream()
                .map(KubeObject::name)
                .filter(name -> !ready.contains(name))
                .forEach(name -> report.failed(
                        "node %s has no ready pod of %s".formatted(name, workload),
                        "see kubectl -n %s get pods -o wide --field-selector spec.nodeName=%s"
                                .formatted(namespace, name)));
        if (nodes.stream().allMatch(node -> ready.contains(node.name()))) {
            report.done("%s: ready on %d nodes".formatted(chart.title(), nodes.size()));
        }
    }
}
