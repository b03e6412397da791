// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.client.RunningFathomd;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a change costs: 2,000 services behind 50 waypoints, each with its proxy connected.
@Tag("slow")
class PushCostTest {
    private static final int WAYPOINTS = 50;
    private static final int SERVICES = 40;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    @Test
    void givenManyWaypoints_whenOneEndpointChanges_thenOneProxyGetsOneSmallResponse() throws Exception {
        for (int i = 0; i < WAYPOINTS; i++) {
            Files.writeString(folder.resolve("ns-" + i + ".yaml"), namespace(i));
        }
        pod(7, 3, true);
        try (var fathomd = RunningFathomd.on(folder, Map.of())) {
            var channel = NettyChannelBuilder.forAddress("127.0.0.1", fathomd.plaintextPort())
                    .usePlaintext()
                    .maxInboundMessageSize(64 << 20)
                    .build();
            var proxies = IntStream.range(0, WAYPOINTS)
                    .mapToObj(i -> new FakeProxy(channel, "ns-" + i, "waypoint"))
                    .toList();
            try {
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> proxies.stream().allMatch(proxy -> proxy.isComplete(SERVICES)));
                assertThat(proxies)
                        .allSatisfy(proxy -> assertThat(proxy.clusters().size()).isEqualTo(SERVICES + 4));
                settle(proxies);
                var start = sum(proxies);

                // Another pod of one service.
                pod(7, 3, false);
                Awaitility.await().atMost(PATIENCE).until(() -> proxies.get(7).responses() > 0);
                settle(proxies);
                assertThat(touched(proxies)).containsExactly(7);
                assertThat(proxies.get(7).responses()).isEqualTo(1);
                var endpoint = proxies.get(7).bytes();
                assertThat(endpoint).isLessThan(2_000);

                // Another header for one service: its table, for its waypoint and no other.
                proxies.forEach(FakeProxy::reset);
                Files.writeString(folder.resolve("route.yaml"), route());
                Awaitility.await().atMost(PATIENCE).until(() -> proxies.get(9).responses() > 0);
                settle(proxies);
                assertThat(touched(proxies)).containsExactly(9);
                assertThat(proxies.get(9).responses()).isEqualTo(1);
                assertThat(proxies.get(9).bytes()).isLessThan(2_000);
                System.out.printf(
                        "first configuration of all %,d bytes; one endpoint %,d bytes to 1 of %d proxies; "
                                + "one route %,d bytes to 1%n",
                        start, endpoint, WAYPOINTS, proxies.get(9).bytes());
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private static long sum(List<FakeProxy> proxies) {
        var result = proxies.stream().mapToLong(proxy -> proxy.bytes()).sum();
        proxies.forEach(FakeProxy::reset);
        return result;
    }

    private static List<Integer> touched(List<FakeProxy> proxies) {
        return IntStream.range(0, proxies.size())
                .filter(i -> proxies.get(i).responses() > 0)
                .boxed()
                .toList();
    }

    /// Until nothing has come for a while.
    private static void settle(List<FakeProxy> proxies) {
        var last = new AtomicLong(-1);
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(700)).until(() -> {
            var now = proxies.stream().mapToLong(proxy -> proxy.bytes()).sum();
            return last.getAndSet(now) == now;
        });
    }

    private static String namespace(int number) {
        var text = new StringBuilder("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: ns-%1$d, labels: {istio.io/dataplane-mode: ambient, istio.io/use-waypoint: waypoint}}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: waypoint, namespace: ns-%1$d}
                spec: {gatewayClassName: istio-waypoint, listeners: [{name: mesh, port: 15008, protocol: HBONE}]}
                status: {addresses: [{type: Hostname, value: waypoint.ns-%1$d.svc.cluster.local}]}
                """.formatted(number));
        for (int i = 0; i < SERVICES; i++) {
            text.append("""
                    ---
                    apiVersion: v1
                    kind: Service
                    metadata: {name: s%2$d, namespace: ns-%1$d}
                    spec: {clusterIP: 10.1.%1$d.%3$d, selector: {app: s%2$d}, ports: [{name: http, port: 80}]}
                    ---
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: s%2$d-pod, namespace: ns-%1$d, labels: {app: s%2$d}}
                    spec: {nodeName: node, serviceAccountName: server, containers: [{name: main, image: none}]}
                    status: {phase: Running, podIP: 10.2.%1$d.%3$d, conditions: [{type: Ready, status: "True"}]}
                    """.formatted(number, i, i + 1));
        }
        return text.toString();
    }

    private void pod(int namespace, int service, boolean ready) throws IOException {
        Files.writeString(
                folder.resolve("another-pod.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: another, namespace: ns-%1$d, labels: {app: s%2$d}}
                spec: {nodeName: node, serviceAccountName: server, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: 10.3.0.1, conditions: [{type: Ready, status: "%3$s"}]}
                """.formatted(namespace, service, ready ? "True" : "False"));
    }

    private static String route() {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: one, namespace: ns-9}
                spec:
                  parentRefs: [{group: "", kind: Service, name: s5, port: 80}]
                  rules:
                  - filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: x-a, value: b}]}}]
                    backendRefs: [{name: s5, port: 80}]
                """;
    }
}
