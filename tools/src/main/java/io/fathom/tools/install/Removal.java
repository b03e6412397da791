// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Takes a mesh out of a cluster: node proxies first, so that none looks for a control plane that has gone. The kinds
/// stay, and with them what users wrote. Blocks the caller.
record Removal(KubeClient client, Helm helm, String namespace, Report report) {
    private static final String ROOT_CONFIG = "istio-ca-root-cert";
    private static final List<String> CLASSES = List.of("istio", "istio-waypoint", "istio-east-west", "istio-remote");
    private static final List<String> LOCKS = List.of(
            "istio-leader", "istio-ip-autoallocate", "istio-namespace-controller-election", "istio-node-untaint");

    /// One control plane.
    void revision(String revision) {
        var release = Chart.CONTROL_PLANE.release(revision);
        if (helm.releases().stream().noneMatch(found -> found.name().equals(release))) {
            throw Installation.problem(
                    "not-installed",
                    "no revision %s is installed in %s"
                            .formatted(Chart.isDefault(revision) ? "default" : revision, namespace),
                    "fathomctl verify lists what there is");
        }
        remove(release, Chart.CONTROL_PLANE);
    }

    /// All charts of a plan.
    void plan(MeshPlan plan) {
        for (var gateway : plan.gateways().reversed()) {
            helm.in(gateway.namespace()).uninstall(gateway.name());
            report.done("Gateway %s/%s removed".formatted(gateway.namespace(), gateway.name()));
        }
        for (var chart : Chart.PARTS.reversed()) {
            if (plan.values().containsKey(chart)) {
                remove(chart.release(plan.revision()), chart);
            }
        }
    }

    /// Everything, also what the control plane made by itself.
    void purge() {
        helm.releases().stream()
                .filter(release -> Chart.of(release.chart()).isPresent())
                .sorted(Comparator.comparing((Helm.Release release) ->
                                Chart.of(release.chart()).orElseThrow())
                        .reversed())
                .forEach(release ->
                        remove(release.name(), Chart.of(release.chart()).orElseThrow()));
        var roots = client.list(KubeQuery.all(KubeResource.CONFIG_MAPS).withFields("metadata.name=" + ROOT_CONFIG));
        roots.items().forEach(root -> client.delete(KubeResource.CONFIG_MAPS, root.namespace(), ROOT_CONFIG));
        LOCKS.forEach(lock -> client.delete(KubeResource.CONFIG_MAPS, namespace, lock));
        client.list(KubeQuery.all(KubeResource.LEASES).inNamespace(namespace)).items().stream()
                .filter(lease -> lease.name().startsWith("istio-"))
                .forEach(lease -> client.delete(KubeResource.LEASES, namespace, lease.name()));
        client.delete(KubeResource.SECRETS, namespace, "istio-ca-secret");
        if (client.get(KubeResource.DEFINITIONS, "", "gatewayclasses.gateway.networking.k8s.io")
                .isPresent()) {
            CLASSES.forEach(name -> client.get(KnownKinds.GATEWAY_CLASSES, "", name)
                    .filter(found ->
                            found.root().at("spec").at("controllerName").text().startsWith("istio.io/"))
                    .ifPresent(_ -> client.delete(KnownKinds.GATEWAY_CLASSES, "", name)));
        }
        report.done("Root certificates, locks and classes removed");
        report.say("  The kinds (CRDs) and the namespace " + namespace + " stay: objects of users may be in them.");
    }

    private void remove(String release, Chart chart) {
        helm.uninstall(release);
        var revision = Optional.of(release)
                .filter(name -> chart == Chart.CONTROL_PLANE || chart == Chart.GATEWAY)
                .filter(name -> !name.equals(chart.release("")))
                .map(name -> " " + name)
                .orElse("");
        report.done(chart.title() + revision + " removed");
    }
}
