// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fathom.model.mesh.Identity;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.peers.Workspace;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Our control plane probes gateways of another cluster: real handshakes, over real sockets. Each cluster has a key of
/// its own below one root.
@Tag("slow")
class GatewayReachIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Identity GATEWAY = new Identity("cluster.local", "edge", "eastwest");
    private static final String NAMESPACES = """
            {apiVersion: v1, kind: Namespace, metadata: {name: istio-system, labels: {topology.istio.io/network: %1$s}}}
            ---
            {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop, labels: {solo.io/service-scope: global}}
            spec: {clusterIP: 10.96.0.1, selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
            """;
    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: web-1, namespace: shop, labels: {app: web}}
            spec: {nodeName: node, serviceAccountName: web, containers: [{name: main, image: none}]}
            status: {phase: Running, podIP: 10.0.0.1, conditions: [{type: Ready, status: "True"}]}
            """;

    private final LabAuthority root = new LabAuthority();
    private final LabAuthority ofWest = root.intermediate("west");
    private final LabAuthority ofEast = root.intermediate("east");
    private final LabLink link = new LabLink();
    private final Workspace workspace = new Workspace();
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final String address = link.addPod();
    private RunningFathomd east;
    private RunningFathomd west;
    private EchoPod gateway;

    @BeforeEach
    void start() throws IOException {
        write("east", "all", NAMESPACES.formatted("east"));
        write("east", "pod", POD);
        write("east", "peer", peer("west", link.host(), 1));
        east = fathomd("east", ofEast);
        gateway = new EchoPod("gateway", address, GATEWAY, ofEast, loops);
        write("west", "all", NAMESPACES.formatted("west"));
        write("west", "peer", peer("east", address, east.tlsPort()));
        west = fathomd("west", ofWest);
    }

    @AfterEach
    void stop() {
        try (var _ = workspace;
                var _ = link;
                var _ = east;
                var _ = west) {
            gateway.close();
        }
        var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /// Cases 12 of the probes in one life: it works, dies, is forgotten by nobody, and comes back.
    @Test
    void givenGateway_whenItDiesAndReturns_thenTheVerdictFollows_andOutlivesARestart() throws IOException {
        verdict("REACHABLE");
        assertThat(row().at("/identity").asText()).isEqualTo(GATEWAY.uri());
        assertThat(row().at("/roundTripMicros").asLong()).isPositive();
        assertThat(west.text("/debug/problemz")).doesNotContain("gateway-");
        write("west", "near", POD); // another way
        Awaitility.await().atMost(PATIENCE).until(() -> health().equals("HEALTHY"));

        gateway.close();
        verdict("SUSPECT");
        verdict("DOWN");
        assertThat(west.text("/debug/problemz")).contains("gateway-unreachable").contains(address + ":15008");
        assertThat(west.text("/metrics")).containsPattern("fathom_gateway_reach\\{.*} 3");
        Awaitility.await().atMost(PATIENCE).until(() -> health().equals("UNHEALTHY"));

        west.close();
        west = fathomd("west", ofWest);
        assertThat(row().at("/verdict").asText()).isEqualTo("DOWN");
        Awaitility.await().atMost(PATIENCE).until(() -> health().equals("UNHEALTHY"));
        Files.delete(folder("west").resolve("near.yaml"));
        Awaitility.await("the only way is tried, whatever is thought of it")
                .atMost(PATIENCE)
                .until(() -> health().equals("HEALTHY"));

        gateway = new EchoPod("gateway", address, GATEWAY, ofEast, loops);
        verdict("REACHABLE");
    }

    /// The account is right, and so is the root: only the key that signed for it tells.
    @Test
    void givenAddress_whenAnotherClusterHasItNow_thenItIsNamed() {
        verdict("REACHABLE");
        gateway.close();
        gateway = new EchoPod("gateway", address, GATEWAY, ofWest, loops);
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(west.text("/debug/problemz"))
                        .contains("gateway-is-ourselves")
                        .contains("our own cluster, west, not of cluster east"));
        gateway.close();
        gateway = new EchoPod("gateway", address, new Identity("cluster.local", "edge", "guest"), ofEast, loops);
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(west.text("/debug/problemz"))
                        .contains("gateway-wrong-identity")
                        .contains("spiffe://cluster.local/ns/edge/sa/guest, not " + GATEWAY.uri()));
    }

    private void verdict(String wanted) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> row().at("/verdict").asText().equals(wanted));
    }

    private JsonNode row() {
        return west.json("/debug/reachz").at("/0");
    }

    private String health() {
        for (var workload : west.json("/debug/ambientz").at("/workloads")) {
            if (workload.at("/uid").asText().contains("SplitHorizonWorkload")) {
                return workload.at("/status").asText("HEALTHY");
            }
        }
        return "";
    }

    private static String peer(String cluster, String address, int port) {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata:
                  name: istio-remote-peer-%1$s
                  namespace: edge
                  annotations: {gateway.istio.io/service-account: eastwest}
                spec:
                  gatewayClassName: istio-remote
                  addresses: [{type: IPAddress, value: %2$s}]
                  listeners:
                  - {name: cross-network, port: 15008, protocol: HBONE}
                  - {name: xds-tls, port: %3$d, protocol: TLS, tls: {mode: Passthrough}}
                """.formatted(cluster, address, port);
    }

    private RunningFathomd fathomd(String cluster, LabAuthority authority) throws IOException {
        var plugged = authority.plug(workspace.directory().resolve(cluster + "-ca"));
        return RunningFathomd.on(folder(cluster), Map.of("ROOT_CA_DIR", plugged.toString(), "CLUSTER_ID", cluster));
    }

    private Path folder(String cluster) throws IOException {
        return Files.createDirectories(workspace.directory().resolve(cluster));
    }

    private void write(String cluster, String name, String text) throws IOException {
        Files.writeString(folder(cluster).resolve(name + ".yaml"), text);
    }
}
