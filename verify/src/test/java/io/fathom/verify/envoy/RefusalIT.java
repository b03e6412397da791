// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A waypoint refuses what one object says: the others apply, and the object is told.
@Tag("slow")
@Tag("interop")
class RefusalIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /// Our check takes it, Envoy does not: RE2 repeats at most a thousand times, also by repetitions of repetitions.
    private static final String UNACCEPTABLE = "/(a{100}){100}";

    /// A patch of clusters that is made of Envoy's words, and that no Envoy takes.
    static final String HEALTH_CHECK_OF_NO_KIND = "{operation: MERGE, value: {health_checks: [{timeout: 1s, interval:"
            + " 1s, healthy_threshold: 1, unhealthy_threshold: 1}]}}";

    private static WaypointLab lab;
    private static LabEnvoy envoy;
    private static Caller caller;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab();
        for (int i = 1; i <= 5; i++) {
            lab.service("s" + i, i, "[{name: http, port: 80}]");
            lab.pod("s" + i + "-pod", "{app: s" + i + "}");
        }
        envoy = lab.start().ready();
        caller = lab.caller("client");
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    /// Case 7, and more: several objects change at once, and one of them is no good. A patch that has nothing to do
    /// with routes is a suspect, too, but nothing shows that it comes or goes.
    @Test
    void givenUnacceptableRoute_whenOthersComeWithIt_thenTheyApplyAndItIsTold() {
        lab.write("harmless", """
                apiVersion: networking.istio.io/v1alpha3
                kind: EnvoyFilter
                metadata: {name: harmless, namespace: shop}
                spec:
                  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: waypoint}]
                  configPatches:
                  - applyTo: LISTENER
                    match: {context: WAYPOINT, listener: {name: connect_terminate}}
                    patch: {operation: MERGE, value: {per_connection_buffer_limit_bytes: 65536}}
                """);
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> envoy.admin("/config_dump?resource=dynamic_listeners")
                        .contains("per_connection_buffer_limit_bytes"));
        var routes = new StringBuilder();
        for (int i = 1; i <= 5; i++) {
            routes.append(route("s" + i, i == 3 ? UNACCEPTABLE : "/x.*"));
        }
        var listeners = envoy.stat("listener_manager.listener_modified");
        lab.write("routes", routes.toString());

        for (var vip : new int[] {1, 2, 4, 5}) {
            Awaitility.await().atMost(PATIENCE).until(() -> marked(vip, "/xyz"));
        }
        assertThat(caller.get(lab.vip(3) + ":80", "/xyz")).startsWith("HTTP/1.1 200"); // as before
        assertThat(marked(3, "/xyz")).isFalse();
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(lab.fathomd().text("/debug/ambientz"))
                        .contains("HTTPRoute/shop/s3")
                        .doesNotContain("EnvoyFilter/shop/harmless")
                        .contains("envoy-refused")
                        .contains("repetition"));
        assertThat(envoy.stat("listener_manager.listener_modified"))
                .as("routes do not touch listeners, whose connections would end")
                .isEqualTo(listeners);

        lab.write("routes", routes.toString().replace(UNACCEPTABLE, "/x.*"));
        Awaitility.await().atMost(PATIENCE).until(() -> marked(3, "/xyz"));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !lab.fathomd().text("/debug/ambientz").contains("envoy-refused"));
    }

    /// A patch breaks the listener that all services share.
    @Test
    void givenAnUnacceptablePatch_thenItIsToldAndOtherChangesApply() {
        lab.writeBrokenPatch("shop", "waypoint", "WAYPOINT");
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(lab.fathomd().json("/debug/problemz"))
                        .filteredOn(problem -> problem.path("object").asText().equals("EnvoyFilter/shop/broken"))
                        .singleElement()
                        .satisfies(problem ->
                                assertThat(problem.path("code").asText()).isEqualTo("envoy-refused")));
        lab.write("late", route("s5", "/late.*"));
        Awaitility.await().atMost(PATIENCE).until(() -> marked(5, "/later"));
        lab.remove("late");
        lab.remove("patch");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !lab.fathomd().text("/debug/ambientz").contains("envoy-refused"));
    }

    /// A patch breaks every cluster, also one that no Envoy has seen without it.
    @Test
    void givenAnUnacceptablePatchOfClusters_thenItIsToldAndTheyGoOnWithoutIt() {
        lab.writePatches("clusters", "shop", "waypoint", "- applyTo: CLUSTER\n  patch: " + HEALTH_CHECK_OF_NO_KIND);
        lab.service("s6", 6, "[{name: http, port: 80}]");
        lab.pod("s6-pod", "{app: s6}");
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(lab.fathomd().text("/debug/ambientz"))
                        .contains("EnvoyFilter/shop/clusters")
                        .contains("envoy-refused"));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> caller.get(lab.vip(6) + ":80", "/").startsWith("HTTP/1.1 200"));
        assertThat(lab.fathomd().text("/debug/ambientz"))
                .doesNotContain("Service/shop/s", "DestinationRule/", "Gateway/shop/waypoint");
        assertThat(envoy.stat("cluster_manager.cds.update_rejected")).isPositive();

        lab.write("rule", """
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: s6, namespace: shop}
                spec: {host: s6, trafficPolicy: {connectionPool: {tcp: {connectTimeout: 7s}}}}
                """);
        Awaitility.await().atMost(PATIENCE).until(() -> clusters().contains("\"connect_timeout\": \"7s\""));

        lab.writePatches(
                "clusters",
                "shop",
                "waypoint",
                "- {applyTo: CLUSTER, patch: {operation: MERGE, value: {per_connection_buffer_limit_bytes: 54321}}}");
        Awaitility.await().atMost(PATIENCE).until(() -> clusters().contains("54321"));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !lab.fathomd().text("/debug/ambientz").contains("envoy-refused"));
        assertThat(caller.get(lab.vip(6) + ":80", "/")).startsWith("HTTP/1.1 200");
        lab.remove("rule");
        lab.remove("patch");
    }

    /// What a patch adds is its own; the others of its object apply.
    @Test
    void givenAnUnacceptableClusterAdded_thenItIsTold() {
        lab.writePatches(
                "added",
                "shop",
                "waypoint",
                "- {applyTo: CLUSTER, patch: {operation: ADD, value: {name: none, type: EDS, connect_timeout: 1s}}}");
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(lab.fathomd().text("/debug/ambientz"))
                        .contains("EnvoyFilter/shop/added")
                        .contains("envoy-refused")
                        .doesNotContain("Gateway/shop/waypoint"));
        lab.writePatches(
                "added",
                "shop",
                "waypoint",
                "- {applyTo: CLUSTER, patch: {operation: ADD, value: {name: none, type: STATIC, connect_timeout: 1s}}}");
        Awaitility.await().atMost(PATIENCE).until(() -> clusters().contains("\"name\": \"none\""));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !lab.fathomd().text("/debug/ambientz").contains("envoy-refused"));
        lab.remove("patch");
    }

    private static String clusters() {
        return envoy.admin("/config_dump?resource=dynamic_active_clusters");
    }

    private static boolean marked(int vip, String path) {
        return caller.get(lab.vip(vip) + ":80", path).contains("x-marked: yes");
    }

    private static String route(String service, String pattern) {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: %1$s, namespace: shop}
                spec:
                  parentRefs: [{group: "", kind: Service, name: %1$s, port: 80}]
                  rules:
                  - matches: [{path: {type: RegularExpression, value: "%2$s"}}]
                    filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: x-marked, value: "yes"}]}}]
                    backendRefs: [{name: %1$s, port: 80}]
                  - backendRefs: [{name: %1$s, port: 80}]
                ---
                """.formatted(service, pattern);
    }
}
