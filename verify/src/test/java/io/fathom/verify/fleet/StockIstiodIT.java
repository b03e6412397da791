// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.verify.client.DeltaClient;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.Istiod;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.ManifestApplier;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// An agent beside a stock istiod: what a cluster with Fathom exports gets there by ServiceEntry and WorkloadEntry, and
/// node proxies get what they need to call it through the gateway. Both clusters are in one fleet.
@Tag("slow")
@Tag("interop")
class StockIstiodIT {
    private static final String[] WEST = {"""
        apiVersion: v1
        kind: Namespace
        metadata: {name: istio-system, labels: {topology.istio.io/network: net-west}}
        """, """
        apiVersion: v1
        kind: Namespace
        metadata: {name: istio-eastwest}
        """, """
        apiVersion: networking.istio.io/v1
        kind: ServiceEntry
        metadata: {name: web.shop, namespace: istio-eastwest}
        spec: {hosts: [by-hand.example], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS}
        """};

    private static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(FleetProcesses.PATIENCE).pollInterval(Duration.ofMillis(200));
    }

    private static void east(FleetProcesses fleet, String name, String label, int pods) {
        fleet.put(
                "east/manifests/" + name + ".yaml",
                """
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s, namespace: shop, labels: {%2$s}}
                spec: {clusterIP: 10.96.0.%3$d, selector: {app: %1$s}, ports: [{name: http, port: 80, targetPort: 8080}]}
                """.formatted(name, label, name.length())
                        + IntStream.rangeClosed(1, pods)
                                .mapToObj(i -> """
                        ---
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: %1$s-%2$d, namespace: shop, labels: {app: %1$s}}
                        spec: {serviceAccountName: %1$s, nodeName: n, containers: [{name: app, image: app}]}
                        status:
                          phase: Running
                          podIP: 10.1.%3$d.%2$d
                          podIPs: [{ip: 10.1.%3$d.%2$d}]
                          conditions: [{type: Ready, status: "True"}]
                        """.formatted(name, i, name.length()))
                                .collect(Collectors.joining()));
    }

    private static Optional<JsonNode> address(DeltaClient proxy, String kind, String name) {
        return proxy.answer().addresses().entrySet().stream()
                .filter(entry ->
                        entry.getKey().contains(name) && entry.getValue().has(kind))
                .map(entry -> entry.getValue().path(kind))
                .findFirst();
    }

    @Test
    void givenAStockIstiod_thenItServesWhatOtherClustersExport_behindTheirGateways() {
        try (var kube = KubeApiServer.start(InstantSource.system());
                var fleet = new FleetProcesses()) {
            var kubectl = new ManifestApplier(kube);
            kubectl.apply(Arrays.stream(WEST)
                    .map(text -> ManifestDocument.parse(text).orElseThrow())
                    .toList());
            fleet.startServer();
            fleet.write("east", "10.77.1.1", "");
            fleet.put("east/manifests/namespaces.yaml", """
                    {apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: net-east}}}
                    ---
                    {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}}
                    """);
            fleet.put("east/gateways/.keep", "");
            east(fleet, "db", "solo.io/service-scope: global", 3);
            east(fleet, "cart", "istio.io/global: \"true\"", 1);
            east(fleet, "web", "istio.io/global: \"true\"", 1);
            try (var plane = RunningFathomd.on(
                            Path.of(fleet.folder("east/manifests") + "," + fleet.folder("east/gateways")),
                            Map.of("CLUSTER_ID", "east"));
                    var istiod = Istiod.startWithCertificates(kube, Map.of("PILOT_ENABLE_GATEWAY_API_STATUS", "true"));
                    var proxy = DeltaClient.connect(istiod.port())) {
                var _ = fleet.startAgent(
                        "east",
                        "--token=" + fleet.token("east"),
                        "--control-plane=http://127.0.0.1:" + plane.plaintextPort());
                var _ = fleet.startAgentOn(
                        kube.kubeconfig(),
                        "west",
                        "--token=" + fleet.token("west"),
                        "--network=net-west",
                        "--stock-istiod=true");

                await("the workload of db")
                        .untilAsserted(() -> assertThat(address(proxy, "workload", "db.shop.east"))
                                .as("%s %s", fleet.log("west"), proxy.answer().addresses())
                                .isPresent());
                var workload = address(proxy, "workload", "db.shop.east").orElseThrow();
                assertThat(workload.path("addresses").isEmpty())
                        .as("%s", workload)
                        .isTrue();
                assertThat(workload.path("capacity").asInt()).as("%s", workload).isEqualTo(3);
                assertThat(workload.path("network").asText()).isEqualTo("net-east");
                assertThat(workload.path("tunnelProtocol").asText()).isEqualTo("HBONE");
                assertThat(workload.at("/networkGateway/hboneMtlsPort").asInt())
                        .as("%s", workload)
                        .isEqualTo(15008);
                var service = address(proxy, "service", "db.shop.mesh.internal").orElseThrow();
                assertThat(service.path("subjectAltNames").toString()).contains("spiffe://cluster.local/ns/shop/sa/db");
                assertThat(service.path("ports").toString()).contains("80");
                assertThat(workload.path("services").toString()).contains("db.shop.mesh.internal");
                await("the other one")
                        .until(() -> address(proxy, "service", "cart.shop.svc.cluster.local")
                                .isPresent());

                // what is somebody else's stays, and is told
                await("a name that is taken")
                        .untilAsserted(() -> assertThat(
                                        fleet.agent("west").path("problems").toString())
                                .contains("entry-taken", "istio-eastwest/web.shop"));
                assertThat(kubectl.run("", "get", "serviceentry", "-n", "istio-eastwest", "web.shop", "-o", "yaml"))
                        .contains("by-hand.example");

                // other numbers, none, and what comes back
                east(fleet, "db", "solo.io/service-scope: global", 1);
                await("another weight")
                        .until(() -> address(proxy, "workload", "db.shop.east")
                                .filter(found -> found.path("capacity").asInt(1) == 1)
                                .isPresent());
                east(fleet, "db", "solo.io/service-scope: global", 0);
                await("no endpoints")
                        .until(() -> address(proxy, "workload", "db.shop.east").isEmpty());
                assertThat(address(proxy, "service", "db.shop.mesh.internal")).isPresent();

                // without the agent all stays, and nothing goes with what it does not know
                fleet.kill("east");
                fleet.kill("server");
                fleet.kill("west");
                kubectl.run("", "delete", "serviceentry", "-n", "istio-eastwest", "db.shop");
                var _ = fleet.startAgentOn(kube.kubeconfig(), "west", "--network=net-west", "--stock-istiod=true");
                await("what was deleted")
                        .until(() -> address(proxy, "service", "db.shop.mesh.internal")
                                .isPresent());
                assertThat(address(proxy, "workload", "cart.shop.east")).isPresent();

                fleet.startServer();
                var _ = fleet.fathomctl("leave", "east");
                await("it has left")
                        .untilAsserted(() -> assertThat(kubectl.run(
                                        "", "get", "serviceentries,workloadentries", "-n", "istio-eastwest"))
                                .contains("web.shop")
                                .doesNotContain("cart.shop", "db.shop"));
            }
        }
    }
}
