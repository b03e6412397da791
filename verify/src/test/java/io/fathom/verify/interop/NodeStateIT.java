// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Workload;
import io.fathom.node.identity.CertificateAnswer;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.Istiod;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.KubeClient;
import io.fathom.verify.peers.KubeKind;
import io.fathom.verify.peers.StockProgram;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.xds.client.XdsClientConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Our node against control planes as they are: ours, and upstream's on a real API server.
@Tag("interop")
class NodeStateIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String NAMESPACE =
            "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}}";
    private static final String SERVICE = """
            {apiVersion: v1, kind: Service, metadata: {name: payments, namespace: shop},
             spec: {clusterIP: 10.96.7.7, selector: {app: payments}, ports: [{port: 80, targetPort: 8080}]}}
            """;
    private static final String POLICY = """
            {apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: deny, namespace: shop},
             spec: {action: DENY, rules: [{from: [{source: {namespaces: [other]}}]}]}}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temporary;

    @Test
    @Timeout(90)
    void givenOurControlPlane_thenStateAndCertificatesAreThere_andIstioctlReadsOurDump() throws Exception {
        var manifests = Files.createDirectory(temporary.resolve("mesh"));
        var tokens = temporary.resolve("tokens");
        LocalNodeProxy.writePod(manifests);
        Files.writeString(
                manifests.resolve("shop.yaml"),
                NAMESPACE + "\n---\n" + payments("payments-1", "payments", "10.88.0.2"));
        Files.writeString(manifests.resolve("policy.yaml"), POLICY);
        try (var mesh = new SampleMesh(manifests, LocalNodeProxy.environment(tokens))) {
            var root = root(mesh.fathomd());
            try (var node = new NodeUnderTest(
                    mesh.fathomd().tlsPort(), root, LocalNodeProxy.token(tokens), XdsClientConfig.Scope.ALL)) {
                node.ready().get(20, TimeUnit.SECONDS);
                mesh.answer().addresses().forEach((name, address) -> {
                    var found = address.has("workload")
                            ? node.view().workload(name).isPresent()
                            : node.view().service(name).isPresent();
                    assertThat(found).as(name).isTrue();
                });
                assertThat(node.view().policies().all())
                        .hasSameSizeAs(mesh.answer().authorizations().values());
                await().atMost(PATIENCE)
                        .until(() -> node.certificate("shop", "payments").isPresent());

                var dump = Files.writeString(temporary.resolve("dump.json"), node.dump());
                assertThat(table(dump, "workload")).hasSize(1 + node.view().workloadCount());
                assertThat(table(dump, "workload"))
                        .anySatisfy(row -> assertThat(row)
                                .contains("payments-1")
                                .contains("10.88.0.2")
                                .endsWith("HBONE"));
                assertThat(table(dump, "service")).hasSize(1 + node.view().serviceCount());
                assertThat(table(dump, "policy"))
                        .hasSize(1 + node.view().policies().size())
                        .anySatisfy(row -> assertThat(row).startsWith("shop").contains("Deny"));
                assertThat(table(dump, "certificate"))
                        .anySatisfy(row -> assertThat(row)
                                .startsWith("spiffe://cluster.local/ns/shop/sa/payments")
                                .contains("Leaf")
                                .contains("Available"));
                assertThat(table(dump, "all")).hasSizeGreaterThan(10);
            }
        }
    }

    @Test
    @Timeout(90)
    void givenOurControlPlane_whenResourcesComeOnDemand_thenOnlyWhatIsAskedFor() throws Exception {
        var manifests = Files.createDirectory(temporary.resolve("mesh"));
        var tokens = temporary.resolve("tokens");
        LocalNodeProxy.writePod(manifests);
        try (var mesh = new SampleMesh(manifests, LocalNodeProxy.environment(tokens))) {
            var root = root(mesh.fathomd());
            try (var node = new NodeUnderTest(
                    mesh.fathomd().tlsPort(), root, LocalNodeProxy.token(tokens), XdsClientConfig.Scope.ON_DEMAND)) {
                node.ready().get(20, TimeUnit.SECONDS);
                assertThat(node.view().workloadCount()).as("of the own node").isEqualTo(1);
                var service = mesh.answer().addresses().values().stream()
                        .filter(address -> address.has("service"))
                        .map(address -> address.at("/service/namespace").asText() + "/"
                                + address.at("/service/hostname").asText())
                        .findFirst()
                        .orElseThrow();
                node.state().demand(service).get(10, TimeUnit.SECONDS);
                assertThat(node.view().service(service)).isPresent();
                assertThat(node.view().serviceCount()).isEqualTo(1);
            }
        }
    }

    @Test
    @Tag("slow")
    @Timeout(240)
    void givenUpstreamsControlPlane_thenStateAndCertificatesAreThere_andFollowTheCluster() throws Exception {
        StockProgram.ISTIOD.require();
        try (var cluster = KubeApiServer.start(InstantSource.system())) {
            LiveComparisonIT.prepare(cluster.client());
            apply(cluster.client(), NAMESPACE);
            apply(cluster.client(), LocalNodeProxy.pod(LocalNodeProxy.POD, "istio-system", "ztunnel", "10.88.0.1"));
            apply(cluster.client(), payments("payments-1", "payments", "10.88.0.2"));
            apply(cluster.client(), SERVICE);
            apply(cluster.client(), POLICY);
            var token = Files.writeString(
                    temporary.resolve("token"),
                    cluster.client().podToken("istio-system", "ztunnel", LocalNodeProxy.POD, "istio-ca"));
            try (var istiod = Istiod.startWithCertificates(cluster)) {
                var root = upstreamRoot(cluster.client());
                try (var node = new NodeUnderTest(istiod.tlsPort(), root, token, XdsClientConfig.Scope.ALL)) {
                    node.ready().get(30, TimeUnit.SECONDS);
                    var workload = node.state()
                            .awaitLocalWorkload("shop", "payments-1", "payments", PATIENCE)
                            .get()
                            .orElseThrow();
                    assertThat(workload.uid()).isEqualTo("Kubernetes//Pod/shop/payments-1");
                    assertThat(workload.tunnelProtocol()).isEqualTo(Workload.TunnelProtocol.HBONE);
                    var view = node.view();
                    assertThat(view.serviceAt(workload.network(), ip("10.96.7.7"))
                                    .orElseThrow()
                                    .hostname())
                            .isEqualTo("payments.shop.svc.cluster.local");
                    assertThat(view.endpoints("shop/payments.shop.svc.cluster.local"))
                            .containsExactly(workload);
                    assertThat(view.policies().all())
                            .anySatisfy(policy -> assertThat(policy.key()).isEqualTo("shop/deny"));

                    await().atMost(PATIENCE)
                            .until(() -> node.certificate("shop", "payments").isPresent());
                    var certificate = node.certificate("shop", "payments").orElseThrow();
                    assertThat(AlternativeNames.identities(certificate.leaf()))
                            .containsExactly(new Identity("cluster.local", "shop", "payments"));
                    assertThat(node.certificates()
                                    .require(new Identity("cluster.local", "shop", "stranger"))
                                    .get())
                            .isInstanceOf(CertificateAnswer.Missing.class);

                    followsTheCluster(cluster.client(), node);
                    assertThat(table(Files.writeString(temporary.resolve("dump.json"), node.dump()), "certificate"))
                            .anySatisfy(row ->
                                    assertThat(row).contains("/sa/payments").contains("Available"));
                }
            }
        }
    }

    private static void followsTheCluster(KubeClient cluster, NodeUnderTest node) throws IOException {
        var late = apply(cluster, payments("payments-2", "late", "10.88.0.3"));
        await().atMost(PATIENCE).until(() -> node.certificate("shop", "late").isPresent());
        assertThat(node.view().endpoints("shop/payments.shop.svc.cluster.local"))
                .hasSize(2);
        cluster.delete(late);
        await().atMost(PATIENCE).until(() -> node.certificate("shop", "late").isEmpty());
        assertThat(node.view().workload("Kubernetes//Pod/shop/payments-2")).isEmpty();
    }

    private static Ip ip(String text) {
        return Ip.parse(text).orElseThrow();
    }

    private static String payments(String name, String account, String ip) {
        return """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %s
                  namespace: shop
                  labels: {app: payments}
                  annotations: {ambient.istio.io/redirection: enabled}
                spec: {nodeName: %s, serviceAccountName: %s, containers: [{name: main, image: none}]}
                status:
                  phase: Running
                  podIP: %s
                  podIPs: [{ip: %s}]
                  conditions: [{type: Ready, status: 'True'}]
                """.formatted(name, LocalNodeProxy.NODE, account, ip, ip);
    }

    private static ObjectNode apply(KubeClient client, String yaml) {
        ObjectNode object = new ObjectMapper()
                .valueToTree(ManifestDocument.parse(yaml).orElseThrow().content());
        client.apply(object);
        return object;
    }

    private Path root(RunningFathomd fathomd) throws IOException {
        return Files.writeString(temporary.resolve("root.pem"), fathomd.text("/debug/root-cert"));
    }

    private Path upstreamRoot(KubeClient client) throws IOException {
        var maps = await().atMost(PATIENCE)
                .until(
                        () -> client.list(KubeKind.CONFIG_MAP).stream()
                                .filter(map -> map.at("/metadata/name").asText().equals("istio-ca-root-cert"))
                                .toList(),
                        found -> !found.isEmpty());
        return Files.writeString(
                temporary.resolve("root.pem"),
                maps.getFirst().path("data").path("root-cert.pem").asText());
    }

    private static List<String> table(Path dump, String kind) throws IOException, InterruptedException {
        var process = new ProcessBuilder(
                        StockProgram.ISTIOCTL.require().toString(), "ztunnel-config", kind, "--file", dump.toString())
                .redirectErrorStream(true)
                .start();
        var lines = process.inputReader().readAllLines();
        assertThat(process.waitFor()).as(String.join("\n", lines)).isZero();
        return lines.stream().map(String::strip).toList();
    }
}
