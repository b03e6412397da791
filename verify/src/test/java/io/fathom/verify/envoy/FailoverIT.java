// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/// A waypoint in the west, a stock Envoy, whose service has pods behind two gateways of the east, real Envoys behind
/// relays that can die or swallow. A client calls all the time; how long nothing came through is printed.
@Tag("slow")
@Tag("interop")
@TestMethodOrder(OrderAnnotation.class)
class FailoverIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String SHARED = "{solo.io/service-scope: global}";
    private static final Set<String> RIGHT = Set.of("web-far", "web-far-2", "web-near");

    private static EastWestLab east;
    private static WaypointLab west;
    private static Caller inWest;
    private static PortRelay first;
    private static PortRelay second;
    private static String address = "";

    @BeforeAll
    static void start() throws Exception {
        var authority = new LabAuthority();
        east = new EastWestLab(authority);
        east.service("web", 2, SHARED);
        east.pod("web-far", "{app: web}");
        east.pod("web-far-2", "{app: web}");
        east.showControlPlane();
        east.write("peer", peer("istio-remote-peer", "west", "192.0.2.1", 15008));
        var _ = east.start().ready();

        west = new WaypointLab(authority, Map.of("CLUSTER_ID", "west"));
        west.write(
                "network",
                "{apiVersion: v1, kind: Namespace,"
                        + " metadata: {name: istio-system, labels: {topology.istio.io/network: west}}}");
        var place = west.address(); // two gateways at one address
        first = west.keep(new PortRelay(place, 15008, east.proxy(), 15008));
        second = west.keep(new PortRelay(place, 15009, east.proxy(), 15008));
        west.write("peer", peer("istio-remote-peer", "Kubernetes", place, 15008));
        west.write("peer-2", peer("istio-remote-peer-2", "Kubernetes", place, 15009));
        west.write("service-web", """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop, labels: %s}
                spec:
                  clusterIP: %s
                  selector: {app: web}
                  ports: [{name: http, port: 80, targetPort: 8080}, {name: tcp, port: 9000}]
                """.formatted(SHARED, west.vip(1)));
        var _ = west.startIn("west").ready();
        inWest = west.caller("client");
        Awaitility.await().atMost(PATIENCE).until(() -> {
            address = MeshWideNamesIT.address(west, "web.shop.mesh.internal");
            return !address.isEmpty();
        });
        Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            var pod = answering();
            return RIGHT.contains(pod) && first.connections() > 0 && second.connections() > 0;
        });
    }

    @AfterAll
    static void stop() {
        try (var _ = west) {
            east.close();
        }
    }

    /// 24: a gateway that swallows everything, seen by an Envoy without any rule.
    @Test
    @Order(1)
    void case24_whenAGatewaySwallows_thenTheOtherOneIsUsed_andThisOneAgainWhenItReturns() {
        first.swallow();
        var calls = call("gateway swallows", Duration.ofSeconds(30));

        assertThat(calls.longestGap()).isLessThan(Duration.ofSeconds(5)); // 3 s on an idle machine
        assertThat(calls.failures()).isLessThan(12);
        assertThat(calls.failuresIn(Duration.ofSeconds(5)))
                .describedAs("in the end nobody is sent there")
                .isZero();
        first.spit();
        var before = first.connections();
        Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            answering();
            return first.connections() > before + 5;
        });
    }

    @Test
    @Order(2)
    void case24_whenAGatewayIsGone_thenTheOtherOneIsUsed() throws Exception {
        first.close();
        var calls = call("gateway refuses", Duration.ofSeconds(25));
        assertThat(calls.longestGap()).isLessThan(Duration.ofSeconds(1));
        assertThat(calls.failuresIn(Duration.ofSeconds(5))).isZero();
    }

    /// @param gaps between answers
    private record Calls(List<Long> gaps, List<Long> failed, long end) {
        Duration longestGap() {
            return Duration.ofNanos(
                    gaps.stream().mapToLong(Long::longValue).max().orElse(0));
        }

        int failures() {
            return failed.size();
        }

        long failuresIn(Duration last) {
            return failed.stream().filter(at -> end - at < last.toNanos()).count();
        }
    }

    /// Calls for that long, several at once, and sees that each answer is right or an honest failure.
    private static Calls call(String what, Duration time) {
        var begun = System.nanoTime();
        var gaps = new ArrayList<Long>();
        var failed = new ArrayList<Long>();
        var last = begun;
        var good = 0;
        while (System.nanoTime() - begun < time.toNanos()) {
            String answer;
            try {
                answer = inWest.get(address + ":80", "/");
            } catch (RuntimeException | AssertionError e) {
                answer = "nothing: " + e;
            }
            var now = System.nanoTime();
            if (answer.startsWith("HTTP/1.1 200")) {
                assertThat(RIGHT).contains(WaypointIT.pod(answer));
                gaps.add(now - last);
                last = now;
                good++;
            } else {
                failed.add(now);
            }
        }
        gaps.add(System.nanoTime() - last);
        var calls = new Calls(gaps, failed, System.nanoTime());
        System.out.printf(
                "%s: %d answers, %d failures (ms: %s), longest time without an answer %d ms%n",
                what,
                good,
                failed.size(),
                failed.stream().map(at -> (at - begun) / 1_000_000).toList(),
                calls.longestGap().toMillis());
        return calls;
    }

    private static String answering() {
        return WaypointIT.pod(inWest.get(address + ":80", "/"));
    }

    private static String peer(String name, String cluster, String address, int port) {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata:
                  name: %1$s
                  namespace: edge
                  labels: {topology.istio.io/cluster: %2$s}
                  annotations: {gateway.istio.io/service-account: eastwest}
                spec:
                  gatewayClassName: istio-remote
                  addresses: [{type: IPAddress, value: %3$s}]
                  listeners: [{name: hbone, port: %4$d, protocol: HBONE}]
                """.formatted(name, cluster, address, port);
    }
}
