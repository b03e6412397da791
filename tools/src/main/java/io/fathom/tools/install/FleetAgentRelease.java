// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.tools.args.Arguments;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/// The agent of a fleet in one cluster: the chart `fathom-agent`, beside the control plane. Blocks the caller.
record FleetAgentRelease(InstallTarget target, Arguments arguments, String cluster) {
    static final String NAME = "fathom-agent";
    private static final String GATEWAYS = "istio-eastwest";
    private static final String NETWORK = "topology.istio.io/network";
    private static final KubeResource GATEWAY = KubeResource.of(GatewayManifest.class);

    /// What there is in the cluster.
    ///
    /// @param network that its control plane is on; empty where nobody says
    /// @param trustDomain of its mesh; empty where nobody says
    /// @param hasGateways whether the namespace for Gateways is there
    /// @param hasGateway whether it has an east-west gateway
    record Surroundings(String network, String trustDomain, boolean hasGateways, boolean hasGateway) {}

    /// @throws io.fathom.base.lang.ProblemException when the agent could do nothing there
    Surroundings look(KubeClient client) {
        var namespace = client.get(KubeResource.NAMESPACES, "", target.namespace())
                .orElseThrow(() -> Installation.problem(
                        "no-control-plane",
                        "the cluster has no namespace " + target.namespace(),
                        "install a mesh first: fathomctl install, or name its namespace with -i"));
        calledAs(client).filter(id -> !id.equals(cluster)).ifPresent(id -> {
            throw Installation.problem(
                    "other-cluster-name",
                    "the control plane calls its cluster " + id + ", not " + cluster,
                    "write fathomctl fleet join " + id + ", or name another --context");
        });
        var gateways = client.get(KubeResource.NAMESPACES, "", GATEWAYS);
        var isThere = gateways.isPresent()
                && client.list(KubeQuery.all(GATEWAY).inNamespace(GATEWAYS)).items().stream()
                        .map(gateway ->
                                gateway.root().at("spec").at("gatewayClassName").text())
                        .anyMatch(name -> name.equals("istio-east-west") || name.equals("istio-eastwest"));
        return new Surroundings(
                namespace.metadata().at("labels").textMap().getOrDefault(NETWORK, ""),
                trustDomain(client),
                gateways.isPresent(),
                isThere);
    }

    private String trustDomain(KubeClient client) {
        return client.get(KubeResource.CONFIG_MAPS, target.namespace(), "istio").stream()
                .flatMap(map -> Helm.documents(map.root().at("data").at("mesh").text()).stream())
                .map(mesh -> Field.root(mesh).at("trustDomain").text())
                .findFirst()
                .orElse("");
    }

    private Optional<String> calledAs(KubeClient client) {
        var query = KubeQuery.all(KubeResource.DEPLOYMENTS)
                .inNamespace(target.namespace())
                .withLabels("app=istiod");
        return client.list(query).items().stream()
                .flatMap(deployment ->
                        deployment.root().at("spec").at("template").at("spec").at("containers").items().stream())
                .flatMap(container -> container.at("env").items().stream())
                .filter(variable -> variable.at("name").text().equals("CLUSTER_ID"))
                .map(variable -> variable.at("value").text())
                .filter(id -> !id.isEmpty())
                .findFirst();
    }

    void install(Surroundings place, String server, Optional<String> token) {
        var global = new LinkedHashMap<String, Object>();
        global.put("clusterID", cluster);
        global.put("istioNamespace", target.namespace());
        if (!place.network().isEmpty()) {
            global.put("network", place.network());
        }
        if (!place.trustDomain().isEmpty()) {
            global.put("trustDomain", place.trustDomain());
        }
        var values = new LinkedHashMap<String, Object>();
        values.put("global", global);
        values.put("servers", List.of(server));
        values.put("createNamespace", !place.hasGateways());
        token.ifPresent(it -> values.put("token", it));
        target.helm(target.namespace())
                .install(target.chart(NAME, FleetFlags.CHARTS), NAME, FleetFlags.values(Json.of(values), arguments));
    }

    void await(KubeClient client, Duration patience) {
        new Workloads(client, target.namespace())
                .await("Agent", new Workloads.Workload(KubeResource.DEPLOYMENTS, "Deployment", NAME), patience);
    }

    /// Names of the Gateways that stand for clusters.
    List<String> gateways(KubeClient client) {
        return client.list(KubeQuery.all(GATEWAY).inNamespace(GATEWAYS)).items().stream()
                .filter(gateway ->
                        gateway.root().at("spec").at("gatewayClassName").text().equals("istio-remote"))
                .map(KubeObject::name)
                .sorted()
                .toList();
    }
}
