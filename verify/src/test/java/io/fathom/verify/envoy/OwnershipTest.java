// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.client.RunningFathomd;
import io.grpc.netty.NettyChannelBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which services a waypoint gets to know.
@Tag("slow")
class OwnershipTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    @Test
    void givenSeveralWaypoints_whenServicesChooseAmongThem_thenEachWaypointHasItsOwn() throws Exception {
        var text = new StringBuilder("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: shop, labels: {istio.io/use-waypoint: one}}
                ---
                apiVersion: v1
                kind: Namespace
                metadata: {name: guest}
                """);
        text.append(gateway("one", "Same", ""));
        text.append(gateway("two", "All", ""));
        text.append(gateway("idle", "All", "istio.io/waypoint-for: workload"));
        text.append(service("shop", "plain", 1, "", ""));
        text.append(service("shop", "out", 2, "istio.io/use-waypoint: none", ""));
        text.append(service("shop", "moved", 3, "istio.io/use-waypoint: two", ""));
        text.append(service(
                "shop",
                "canary",
                4,
                "istio.io/use-waypoint-canary: two",
                "istio.io/use-waypoint-canary-weight: \"10\""));
        text.append(
                service("guest", "far", 5, "istio.io/use-waypoint: two, istio.io/use-waypoint-namespace: shop", ""));
        text.append(service(
                "guest", "refused", 6, "istio.io/use-waypoint: one, istio.io/use-waypoint-namespace: shop", ""));
        text.append(service("shop", "wrong", 7, "istio.io/use-waypoint: idle", ""));
        Files.writeString(folder.resolve("mesh.yaml"), text.toString());
        try (var fathomd = RunningFathomd.on(folder, Map.of())) {
            var channel = NettyChannelBuilder.forAddress("127.0.0.1", fathomd.plaintextPort())
                    .usePlaintext()
                    .build();
            try {
                var one = new FakeProxy(channel, "shop", "one");
                var two = new FakeProxy(channel, "shop", "two");
                var idle = new FakeProxy(channel, "shop", "idle");
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> one.isComplete(2) && two.isComplete(3) && idle.isComplete(0));
                assertThat(one.clusters()).contains(cluster("plain", "shop"), cluster("canary", "shop"));
                assertThat(two.clusters())
                        .contains(cluster("moved", "shop"), cluster("canary", "shop"), cluster("far", "guest"));

                // One changes its mind.
                Files.writeString(
                        folder.resolve("mesh.yaml"),
                        text.toString().replace("istio.io/use-waypoint: two}", "istio.io/use-waypoint: one}"));
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> one.clusters().contains(cluster("moved", "shop"))
                                && !two.clusters().contains(cluster("moved", "shop")));
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private static String cluster(String name, String namespace) {
        return "inbound-vip|80|http|" + name + "." + namespace + ".svc.cluster.local";
    }

    private static String gateway(String name, String from, String labels) {
        return """
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: %1$s, namespace: shop, labels: {%3$s}}
                spec:
                  gatewayClassName: istio-waypoint
                  listeners: [{name: mesh, port: 15008, protocol: HBONE, allowedRoutes: {namespaces: {from: %2$s}}}]
                status: {addresses: [{type: Hostname, value: %1$s.shop.svc.cluster.local}]}
                """.formatted(name, from, labels);
    }

    private static String service(String namespace, String name, int vip, String labels, String annotations) {
        return """
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: %2$s, namespace: %1$s, labels: {%4$s}, annotations: {%5$s}}
                spec: {clusterIP: 10.1.0.%3$d, selector: {app: %2$s}, ports: [{name: http, port: 80}]}
                """.formatted(namespace, name, vip, labels, annotations);
    }
}
