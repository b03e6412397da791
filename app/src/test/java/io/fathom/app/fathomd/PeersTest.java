// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.base.lang.Problem;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Two control planes that tell each other of their services, each with a folder of its own and no access to the
/// other's. The Gateway for the other one has the port of its TLS listener, as a gateway that passes TLS on would.
@Timeout(180)
class PeersTest {
    private static final String WEB = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop, labels: {istio.io/global: "true"}}
            spec: {clusterIP: %s, selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: private, namespace: shop}
            spec: {clusterIP: 10.96.0.99, selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
            """;
    private static final String GATEWAY = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata:
              name: istio-remote-peer-%1$s
              namespace: istio-eastwest
              labels: {topology.istio.io/cluster: %1$s, topology.istio.io/network: net-%1$s}
              annotations: {gateway.istio.io/service-account: istio-eastwest}
            spec:
              gatewayClassName: istio-remote
              addresses: [{type: IPAddress, value: 127.0.0.1}]
              listeners:
              - {name: cross-network, port: 15008, protocol: HBONE, tls: {mode: Passthrough}}
              - {name: xds-tls, port: %2$d, protocol: TLS, tls: {mode: Passthrough}}
            """;
    private static final String FOLDED =
            "net-east/SplitHorizonWorkload/istio-eastwest/istio-remote-peer-east/127.0.0.1/"
                    + "shop/web.shop.svc.cluster.local";

    private static final String EXPORT = """
            apiVersion: multicluster.x-k8s.io/v1beta1
            kind: ServiceExport
            metadata: {name: web, namespace: shop, creationTimestamp: "2026-01-0%dT00:00:00Z"}
            """;
    private static final String ENDPOINT = "east/fathom.io/PeerEndpoint/";

    @TempDir
    private Path root;

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Fathomd> started = new ArrayList<>();
    private Path westFolder;
    private Path eastFolder;
    private Fathomd west;
    private Fathomd east;

    @BeforeEach
    void link() throws IOException {
        westFolder = folder("west", "10.96.0.1");
        eastFolder = folder("east", "10.100.0.1");
        pod("a", 1, "True");
        pod("b", 2, "True");
        Files.writeString(eastFolder.resolve("gateway.yaml"), GATEWAY.formatted("nobody", 1));
        east = start("east", eastFolder, 0);
        Files.writeString(westFolder.resolve("gateway.yaml"), GATEWAY.formatted("east", east.tlsPort()));
        west = start("west", westFolder, 0);
    }

    @AfterEach
    void stop() {
        started.forEach(Fathomd::close);
        http.close();
    }

    @Test
    void whenLinked_thenTheServicesOfTheOtherOneAreReachedThroughItsGateway() throws Exception {
        var folded = folded(2);

        assertThat(folded.at("/workloadIps")).isEmpty();
        assertThat(folded.at("/network").asText()).isEqualTo("net-east");
        assertThat(service("web").orElseThrow().toString())
                .contains("spiffe://cluster.local/ns/shop/sa/a", "spiffe://cluster.local/ns/shop/sa/b");
        assertThat(text("/debug/ambientz")).doesNotContain("10.1.0.1", "10.100.0.1", "/shop/private.");
        assertThat(codes()).isEmpty();
        var clusters = json("/debug/clusterz");
        assertThat(clusters.at("/1/id").asText()).isEqualTo("east");
        assertThat(clusters.at("/1/syncStatus").asText()).isEqualTo("synced");
        assertThat(clusters.at("/1/network").asText()).isEqualTo("net-east");
        assertThat(clusters.at("/1/objects/ServiceSummary").asInt()).isEqualTo(1);
    }

    /// Where each pod says its number, something has to be there for clients to call.
    @Test
    void givenAPortWithAName_thenWhatStandsForTheOtherClusterHasAPort() throws Exception {
        Files.writeString(
                eastFolder.resolve("web.yaml"),
                WEB.formatted("10.100.0.1").replace("targetPort: 8080", "targetPort: web"));

        Awaitility.await()
                .untilAsserted(() -> assertThat(find(FOLDED)
                                .map(row -> row.at("/services/shop~1web.shop.svc.cluster.local/ports/0/targetPort")
                                        .asInt()))
                        .contains(80));
    }

    @Test
    void case15_whenPodsOfTheOtherOneAreNotReady_thenTheyDoNotCount() throws Exception {
        folded(2);

        pod("a", 1, "False");
        assertThat(folded(1).at("/status").asText()).isEmpty(); // healthy, which is not written

        pod("b", 2, "False");
        Awaitility.await()
                .untilAsserted(() -> assertThat(
                                find(FOLDED).orElseThrow().at("/status").asText())
                        .isEqualToIgnoringCase("unhealthy"));
    }

    @Test
    void case38_whenTheOtherOneIsAway_thenWhatWasKnownStays_andWhatWentMeanwhileGoes() throws Exception {
        folded(2);
        var port = east.tlsPort();

        east.close();
        Awaitility.await().untilAsserted(() -> assertThat(codes()).containsExactly("peer-unreachable"));
        assertThat(find(FOLDED)).isPresent();

        Files.delete(eastFolder.resolve("b.yaml"));
        Files.writeString(
                eastFolder.resolve("more.yaml"),
                WEB.formatted("10.100.0.7").replace("web", "extra").replace("private", "hidden"));
        east = start("east", eastFolder, port);
        folded(1);
        Awaitility.await().untilAsserted(() -> assertThat(codes()).isEmpty());

        Files.writeString(
                eastFolder.resolve("web.yaml"), WEB.formatted("10.100.0.1").replace("\"true\"", "\"false\""));
        Awaitility.await().untilAsserted(() -> assertThat(find(FOLDED)).isEmpty());
        assertThat(service("web").orElseThrow().toString()).doesNotContain("spiffe:");
    }

    @Test
    void case46_givenServiceThatOnlyTheOtherOneHas_thenItHasANameWhoseAddressesStay() throws Exception {
        folded(2);
        Files.writeString(
                eastFolder.resolve("more.yaml"),
                WEB.formatted("10.100.0.7").replace("web", "extra").replace("private", "hidden"));
        Awaitility.await().untilAsserted(() -> assertThat(named("extra")).isPresent());
        var before = named("extra").orElseThrow().at("/addresses").toString();
        assertThat(before).contains("net-west", "240.240.");
        assertThat(service("extra")).isEmpty();

        west.close();
        Files.writeString(
                westFolder.resolve("first.yaml"), WEB.formatted("10.96.0.7").replaceAll("web|private", "a-$0"));
        west = start("west", westFolder, 0);

        Awaitility.await().untilAsserted(() -> assertThat(named("extra")).isPresent());
        assertThat(named("extra").orElseThrow().at("/addresses").toString()).isEqualTo(before);
        Files.delete(eastFolder.resolve("more.yaml"));
        Awaitility.await().untilAsserted(() -> assertThat(named("extra")).isEmpty());
    }

    @Test
    void case9_givenTheSameNetwork_thenEndpointsOfTheOtherOneAreCalledDirectly() throws Exception {
        folded(2);
        assertThat(text("/debug/ambientz")).doesNotContain("10.1.0.");

        onNetwork("net-east");

        Awaitility.await()
                .untilAsserted(() -> assertThat(find(ENDPOINT + "10.1.0.2")).isPresent());
        var endpoint = find(ENDPOINT + "10.1.0.1").orElseThrow();
        assertThat(endpoint.at("/network").asText()).isEqualTo("net-east");
        assertThat(endpoint.at("/tunnelProtocol").asText()).isEqualTo("HBONE");
        assertThat(endpoint.at("/serviceAccount").asText()).isEqualTo("a");
        assertThat(endpoint.at("/services").toString())
                .contains("shop/web.shop.svc.cluster.local", "shop/web.shop.mesh.internal", "8080");
        assertThat(text("/debug/ambientz")).doesNotContain("SplitHorizon");

        pod("b", 2, "False");
        Awaitility.await()
                .untilAsserted(() -> assertThat(find(ENDPOINT + "10.1.0.2")
                                .orElseThrow()
                                .at("/status")
                                .asText())
                        .isEqualToIgnoringCase("unhealthy"));
        Files.delete(eastFolder.resolve("b.yaml"));
        Awaitility.await()
                .untilAsserted(() -> assertThat(find(ENDPOINT + "10.1.0.2")).isEmpty());

        Files.writeString(westFolder.resolve("ours.yaml"), Files.readString(eastFolder.resolve("a.yaml")));
        Awaitility.await()
                .untilAsserted(() -> assertThat(find(ENDPOINT + "10.1.0.1"))
                        .describedAs("an address of ours")
                        .isEmpty());

        onNetwork("net-west");
        Awaitility.await().untilAsserted(() -> assertThat(find(FOLDED)).isPresent());
        assertThat(text("/debug/ambientz")).doesNotContain(ENDPOINT);
    }

    private void onNetwork(String network) throws IOException {
        Files.writeString(
                westFolder.resolve("base.yaml"),
                Files.readString(westFolder.resolve("base.yaml"))
                        .replaceFirst("topology.istio.io/network: [a-z-]+", "topology.istio.io/network: " + network));
        Files.writeString(
                eastFolder.resolve("gateway.yaml"),
                GATEWAY.formatted("west", west.tlsPort())
                        .replace("topology.istio.io/network: net-west", "topology.istio.io/network: " + network));
    }

    @Test
    void whenTheGatewayGoes_thenNothingIsLeft() throws Exception {
        folded(2);

        Files.delete(westFolder.resolve("gateway.yaml"));

        Awaitility.await()
                .untilAsserted(() -> assertThat(text("/debug/ambientz")).doesNotContain("net-east", "sa/a"));
        Awaitility.await()
                .untilAsserted(() -> assertThat(json("/debug/clusterz")).hasSize(1));
    }

    @Test
    void case8_whenTheServiceIsLocalHere_thenNothingOfTheOtherOneCounts() throws Exception {
        folded(2);

        Files.writeString(
                westFolder.resolve("web.yaml"), WEB.formatted("10.96.0.1").replace("\"true\"", "\"false\""));

        Awaitility.await().untilAsserted(() -> assertThat(find(FOLDED)).isEmpty());
        assertThat(service("web").orElseThrow().toString()).doesNotContain("spiffe:");
    }

    @Test
    void case37_whenTheAddressLeadsBackToUs_thenItIsAProblem() throws Exception {
        Files.writeString(westFolder.resolve("gateway.yaml"), GATEWAY.formatted("east", west.tlsPort()));

        Awaitility.await().untilAsserted(() -> assertThat(codes()).containsExactly("peer-is-ourselves"));
        Files.writeString(westFolder.resolve("gateway.yaml"), GATEWAY.formatted("north", east.tlsPort()));
        Awaitility.await().untilAsserted(() -> assertThat(codes()).containsExactly("peer-is-another-cluster"));
    }

    /// Whoever exported first counts in both clusters, and each tells its own author.
    @Test
    void case52_whenBothExportAServiceAndDisagree_thenBothAreTold() throws Exception {
        folded(2);
        Files.writeString(eastFolder.resolve("gateway.yaml"), GATEWAY.formatted("west", west.tlsPort()));
        Files.writeString(eastFolder.resolve("export.yaml"), EXPORT.formatted(1));

        Awaitility.await().untilAsserted(() -> assertThat(exported()).isPresent());
        assertThat(exported().orElseThrow().at("/addresses").toString()).contains("240.240.");
        assertThat(find(FOLDED.replace(".svc.cluster.local", ".svc.clusterset.local")))
                .isPresent();

        Files.writeString(
                westFolder.resolve("web.yaml"), WEB.formatted("10.96.0.1").replace("port: 80,", "port: 81,"));
        Files.writeString(westFolder.resolve("export.yaml"), EXPORT.formatted(2));

        Awaitility.await().untilAsserted(() -> assertThat(codes()).containsExactly("port-conflict"));
        Awaitility.await().untilAsserted(() -> assertThat(problems(east)).containsExactly("port-conflict"));
        assertThat(first("port-conflict").message()).contains("east http 80/TCP", "west http 81/TCP");
        assertThat(exported().orElseThrow().at("/ports/0/servicePort").asInt())
                .describedAs("of the older one")
                .isEqualTo(80);

        Files.delete(eastFolder.resolve("export.yaml"));
        Awaitility.await().untilAsserted(() -> assertThat(codes()).isEmpty());
        Files.delete(westFolder.resolve("export.yaml"));
        Awaitility.await().untilAsserted(() -> assertThat(exported()).isEmpty());
    }

    private Optional<JsonNode> exported() {
        return row("/services", "/hostname", "web.shop.svc.clusterset.local");
    }

    /// A catalogue that is large is not older for it.
    @Test
    void givenAThousandServices_whenOneChanges_thenItIsKnown() throws Exception {
        var all = new StringBuilder();
        for (int i = 0; i < 1_000; i++) {
            all.append(i == 0 ? "" : "---\n").append("""
                    apiVersion: v1
                    kind: Service
                    metadata: {name: s-%d, namespace: shop, labels: {istio.io/global: "true"}}
                    spec: {clusterIP: 10.100.%d.%d, ports: [{name: http, port: 80}]}
                    """.formatted(i, 1 + i / 250, 1 + i % 250));
        }
        Files.writeString(eastFolder.resolve("many.yaml"), all);
        Awaitility.await().untilAsserted(() -> assertThat(named("s-999")).isPresent());

        Files.writeString(
                eastFolder.resolve("many.yaml"),
                all.toString()
                        .replaceFirst("(?s)(name: s-500,.*?port: )80", "$181")
                        .replace("s-501,", "t-501,"));

        Awaitility.await().untilAsserted(() -> {
            assertThat(named("t-501")).isPresent();
            assertThat(named("s-501")).isEmpty();
            assertThat(named("s-500").orElseThrow().at("/ports/0/servicePort").asInt())
                    .isEqualTo(81);
        });
        assertThat(codes()).isEmpty();
    }

    @Test
    void whenTheAddressOfTheGatewayChanges_thenItIsFollowed_withoutARestart() throws Exception {
        folded(2);
        var before = east.tlsPort();
        east.close();
        Awaitility.await().untilAsserted(() -> assertThat(codes()).containsExactly("peer-unreachable"));
        Files.delete(eastFolder.resolve("b.yaml"));
        east = start("east", eastFolder, 0);
        assertThat(east.tlsPort()).isNotEqualTo(before);

        Files.writeString(
                westFolder.resolve("gateway.yaml"),
                GATEWAY.formatted("east", east.tlsPort()).replace("127.0.0.1", "127.0.0.2"));

        Awaitility.await()
                .untilAsserted(() -> assertThat(find(FOLDED.replace("127.0.0.1", "127.0.0.2")))
                        .isPresent());
        assertThat(find(FOLDED)).isEmpty();
        Awaitility.await().untilAsserted(() -> assertThat(codes()).isEmpty());
    }

    @Test
    void givenAnotherRoot_thenNothingIsTakenFromIt() throws Exception {
        var stranger = start("east", eastFolder, 0, root.resolve("other-ca.pem"));

        Files.writeString(westFolder.resolve("gateway.yaml"), GATEWAY.formatted("east", stranger.tlsPort()));

        Awaitility.await().untilAsserted(() -> assertThat(codes()).containsExactly("peer-unreachable"));
        assertThat(first("peer-unreachable").fix()).contains("fathomctl multicluster trust");
    }

    private JsonNode folded(int capacity) {
        Awaitility.await()
                .untilAsserted(() -> assertThat(
                                find(FOLDED).map(row -> row.at("/capacity").asInt()))
                        .contains(capacity));
        return find(FOLDED).orElseThrow();
    }

    /// What is wrong, apart from what is always so here: no gateway runs where the Gateways say, and how soon a control
    /// plane is sure of that is up to its probes.
    private List<String> codes() {
        return problems(west).toList();
    }

    private static Stream<String> problems(Fathomd fathomd) {
        return fathomd.problems().stream()
                .map(problem -> problem.problem().code())
                .filter(code -> !code.equals("gateway-unreachable"));
    }

    private Problem first(String code) {
        return west.problems().stream()
                .map(ManifestProblem::problem)
                .filter(problem -> problem.code().equals(code))
                .findFirst()
                .orElseThrow();
    }

    private Optional<JsonNode> find(String uid) {
        return row("/workloads", "/uid", uid);
    }

    private Optional<JsonNode> named(String name) {
        return row("/services", "/hostname", name + ".shop.mesh.internal");
    }

    private Optional<JsonNode> service(String name) {
        return row("/services", "/hostname", name + ".shop.svc.cluster.local");
    }

    private Optional<JsonNode> row(String list, String field, String value) {
        try {
            for (var row : json("/debug/ambientz").at(list)) {
                if (row.at(field).asText().equals(value)) {
                    return Optional.of(row);
                }
            }
            return Optional.empty();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private JsonNode json(String path) throws Exception {
        return new ObjectMapper().readTree(text(path));
    }

    private String text(String path) throws Exception {
        var uri = URI.create("http://127.0.0.1:" + west.httpPort() + path);
        return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                .body();
    }

    private Path folder(String cluster, String vip) throws IOException {
        var folder = Files.createDirectory(root.resolve(cluster));
        Files.writeString(folder.resolve("base.yaml"), """
            {apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: net-%s}}}
            ---
            {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}}
            """.formatted(cluster));
        Files.writeString(folder.resolve("web.yaml"), WEB.formatted(vip));
        return folder;
    }

    private void pod(String name, int number, String ready) throws IOException {
        Files.writeString(eastFolder.resolve(name + ".yaml"), """
            apiVersion: v1
            kind: Pod
            metadata:
              name: %1$s
              namespace: shop
              labels: {app: web}
              annotations: {ambient.istio.io/redirection: enabled}
            spec:
              serviceAccountName: %1$s
              nodeName: n
              containers: [{name: c, ports: [{name: web, containerPort: 8080}]}]
            status:
              phase: Running
              podIP: 10.1.0.%2$d
              podIPs: [{ip: 10.1.0.%2$d}]
              conditions: [{type: Ready, status: "%3$s"}]
            """.formatted(name, number, ready));
    }

    private Fathomd start(String cluster, Path folder, int tlsPort) {
        return start(cluster, folder, tlsPort, root.resolve("ca.pem"));
    }

    private Fathomd start(String cluster, Path folder, int tlsPort, Path ca) {
        String[] args = {
            "--manifests",
            folder.toString(),
            "--cluster-id",
            cluster,
            "--ca-file",
            ca.toString(),
            "--plaintext-port",
            "0",
            "--tls-port",
            String.valueOf(tlsPort),
            "--http-port",
            "0"
        };
        var fathomd = Fathomd.start(FathomdConfig.parse(args, Map.of()));
        started.add(fathomd);
        return fathomd;
    }
}
