// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a waypoint tells of requests that come and go through tunnels. All that it knows comes from the control plane.
@Tag("slow")
@Tag("interop")
class WaypointTelemetryIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String BAGGAGE = "k8s.cluster.name=far,k8s.namespace.name=shop,k8s.deployment.name=buyer,"
            + "service.name=buying,service.version=v7";

    private static WaypointLab lab;
    private static LabEnvoy envoy;
    private static Caller caller;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab();
        lab.service("web", 1, "[{name: http, port: 80}]");
        lab.service("raw", 2, "[{name: tcp, port: 90}]");
        lab.pod("web-1", "{app: web, service.istio.io/canonical-name: web, service.istio.io/canonical-revision: v3}");
        lab.pod("raw-1", "{app: raw}");
        lab.write("telemetry", """
                apiVersion: telemetry.istio.io/v1
                kind: Telemetry
                metadata: {name: web, namespace: shop}
                spec:
                  targetRefs: [{group: "", kind: Service, name: web}]
                  accessLogging: [{providers: [{name: envoy}]}]
                """);
        envoy = lab.start().ready();
        caller = lab.caller("client");
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    private static Caller.Conversation said(String authority, String words) {
        return caller.open(Caller.withBaggage(authority, BAGGAGE)).say(words);
    }

    @Test
    void givenARequestThroughTunnels_thenMetricsTellOfBothSidesAndThereIsALine() {
        assertThat(said(lab.vip(1) + ":80", "GET /told HTTP/1.1\r\nhost: web\r\nconnection: close\r\n\r\n")
                        .all())
                .contains("x-pod: web-1");
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(envoy.admin("/stats/prometheus").lines())
                        .anySatisfy(line -> assertThat(line)
                                .startsWith("envoy_istio_requests_total{")
                                .contains(
                                        "reporter=\"waypoint\"",
                                        "source_workload=\"buyer\"",
                                        "source_workload_namespace=\"shop\"",
                                        "source_canonical_service=\"buying\"",
                                        "source_canonical_revision=\"v7\"",
                                        "source_cluster=\"far\"",
                                        "source_principal=\"spiffe://cluster.local/ns/shop/sa/client\"",
                                        "destination_workload=\"web-1\"",
                                        "destination_workload_namespace=\"shop\"",
                                        "destination_canonical_service=\"web\"",
                                        "destination_canonical_revision=\"v3\"",
                                        "destination_principal=\"spiffe://cluster.local/ns/shop/sa/server\"",
                                        "destination_service=\"web.shop.svc.cluster.local\"",
                                        "destination_service_name=\"web\"",
                                        "destination_service_namespace=\"shop\"",
                                        "request_protocol=\"http\"",
                                        "response_code=\"200\"",
                                        "connection_security_policy=\"mutual_tls\"")));
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(envoy.log())
                        .containsPattern("\"GET /told HTTP/1.1\" 200 .*inbound-vip\\|80\\|http\\|web.shop.svc"));
    }

    @Test
    void givenBytesThroughTunnels_thenMetricsTellOfBothSides() {
        assertThat(said(lab.vip(2) + ":90", "hello").finish().all()).contains("raw-1:hello");
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(envoy.admin("/stats/prometheus").lines())
                        .anySatisfy(line -> assertThat(line)
                                .startsWith("envoy_istio_tcp_connections_opened_total{")
                                .contains(
                                        "reporter=\"waypoint\"",
                                        "source_workload=\"buyer\"",
                                        "source_principal=\"spiffe://cluster.local/ns/shop/sa/client\"",
                                        "destination_workload=\"raw-1\"",
                                        "destination_service_name=\"raw\"")));
        assertThat(envoy.log()).doesNotContain("|tcp|raw.shop"); // nobody asked for lines about it
    }
}
