// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.fathom.wire.xds.store.XdsType;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/// How a stock Envoy and our control plane speak with each other, seen from between them.
@Tag("slow")
@Tag("interop")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EnvoyProtocolIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static WaypointLab lab;
    private static XdsTap tap;
    private static LabEnvoy envoy;
    private static Caller caller;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab();
        lab.service("echo", 1, "[{name: http, port: 80}]");
        lab.service("other", 2, "[{name: http, port: 80}]");
        lab.pod("echo-1", "{app: echo}");
        tap = lab.keep(new XdsTap(lab.host(), lab.fathomd().plaintextPort()));
        envoy = lab.start(new LabEnvoy.Start(
                        "waypoint", "shop", "waypoint", "waypoint", tap.port(), lab.secretsPort(), ""))
                .ready();
        caller = lab.caller("client");
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    /// Case 10.
    @Test
    @Order(1)
    void givenFirstStream_whenItBegins_thenOnlyTheFirstMessageNamesTheNode() {
        assertThat(tap.requests().getFirst().hasNode()).isTrue();
        assertThat(tap.requests().getFirst().getTypeUrl()).isEqualTo(XdsType.CLUSTER.url());
        assertThat(tap.requests().stream().skip(1)).noneMatch(DeltaDiscoveryRequest::hasNode);
    }

    /// Cases 5 and 97: as long as endpoints are missing, the cluster waits and so does the acknowledgement.
    @Test
    @Order(2)
    void givenChangedCluster_whenItsEndpointsAreKeptBack_thenItWaitsUntilTheyCome() {
        tap.hold(response -> response.getTypeUrl().equals(XdsType.ENDPOINTS.url()));
        tap.forget();
        lab.write("rule", """
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: echo, namespace: shop}
                spec: {host: echo, trafficPolicy: {connectionPool: {tcp: {maxConnections: 77}}}}
                """);

        Awaitility.await().atMost(PATIENCE).until(() -> envoy.stat("cluster_manager.warming_clusters") == 1);
        assertThat(acknowledged(XdsType.CLUSTER)).isFalse();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> lab.fathomd().text("/debug/syncz").contains("STALE"));
        assertThat(caller.get(lab.vip(1) + ":80", "/")).startsWith("HTTP/1.1 200"); // by the cluster as it was

        tap.release();
        Awaitility.await().atMost(PATIENCE).until(() -> envoy.stat("cluster_manager.warming_clusters") == 0);
        Awaitility.await().atMost(PATIENCE).until(() -> acknowledged(XdsType.CLUSTER));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !lab.fathomd().text("/debug/syncz").contains("STALE"));
        assertThat(caller.get(lab.vip(1) + ":80", "/")).startsWith("HTTP/1.1 200");
    }

    /// Case 6.
    @Test
    @Order(3)
    void givenBrokenStream_whenTheEnvoyComesBack_thenItSaysWhatItHasAndNothingChanges() {
        var updates = envoy.stat("listener_manager.lds.update_success");
        tap.forget();
        tap.cut();

        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> firsts().size() == 4 && acknowledged(XdsType.CLUSTER) && acknowledged(XdsType.LISTENER));
        assertThat(firsts())
                .containsExactlyInAnyOrder(
                        XdsType.ENDPOINTS.url(), XdsType.LISTENER.url(), XdsType.ROUTES.url(), XdsType.CLUSTER.url());
        assertThat(begun(XdsType.CLUSTER).getInitialResourceVersionsMap())
                .containsKeys("connect_originate", "inbound-vip|80|http|echo.shop.svc.cluster.local");
        assertThat(begun(XdsType.LISTENER).getInitialResourceVersionsMap()).containsKey("main_internal");
        assertThat(begun(XdsType.ROUTES).getInitialResourceVersionsMap())
                .containsKey("inbound-vip|80|http|echo.shop.svc.cluster.local");
        assertThat(tap.requests()).filteredOn(DeltaDiscoveryRequest::hasNode).hasSize(1);
        assertThat(envoy.stat("cluster_manager.warming_clusters")).isZero();
        assertThat(envoy.stat("listener_manager.listener_modified")).isZero();
        assertThat(envoy.stat("listener_manager.lds.update_success")).isLessThanOrEqualTo(updates + 1);
        assertThat(caller.get(lab.vip(1) + ":80", "/")).startsWith("HTTP/1.1 200");
    }

    /// Case 9.
    @Test
    @Order(4)
    void givenServiceGone_whenItsClusterIsRemoved_thenEndpointsAreUnsubscribed() {
        tap.forget();
        lab.remove("service-other");

        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> tap.requests().stream()
                        .flatMap(request -> request.getResourceNamesUnsubscribeList().stream())
                        .anyMatch(name -> name.equals("inbound-vip|80|http|other.shop.svc.cluster.local")));
    }

    private static boolean acknowledged(XdsType type) {
        return tap.requests().stream()
                .anyMatch(request -> request.getTypeUrl().equals(type.url())
                        && !request.getResponseNonce().isEmpty()
                        && !request.hasErrorDetail());
    }

    private static DeltaDiscoveryRequest begun(XdsType type) {
        return tap.requests().stream()
                .filter(request -> request.getTypeUrl().equals(type.url()))
                .findFirst()
                .orElseThrow();
    }

    /// The types in the order in which they were first asked for.
    private static List<String> firsts() {
        return tap.requests().stream()
                .map(DeltaDiscoveryRequest::getTypeUrl)
                .distinct()
                .toList();
    }
}
