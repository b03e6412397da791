// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A gateway refuses what one object says: the others apply, and the object is told.
@Tag("slow")
@Tag("interop")
class IngressRefusalIT {
    /// Our check takes it, Envoy does not: RE2 repeats at most a thousand times, also by repetitions of repetitions.
    private static final String UNACCEPTABLE = "/(a{100}){100}";

    private static IngressLab lab;
    private static LabEnvoy envoy;
    private static OutsideClient client;

    @BeforeAll
    static void start() throws Exception {
        lab = new IngressLab();
        lab.gateway("name: http, port: 80, protocol: HTTP", "name: other, port: 81, protocol: HTTP");
        lab.service("shop", "meshed", 1, "{}", "{name: http, port: 80, targetPort: 8080}");
        lab.meshed("meshed-1", "server", "{app: meshed}");
        lab.write("base-route", route("base", "[]", "other", "/"));
        envoy = lab.start().ready();
        client = lab.client();
        soon().until(() -> client.get(81, "any.example").contains("x-marked: base"));
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    private static ConditionFactory soon() {
        return Awaitility.await().atMost(Duration.ofSeconds(60));
    }

    private static String route(String name, String hosts, String listener, String pattern) {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: %1$s, namespace: shop}
                spec:
                  parentRefs: [{name: gw, namespace: edge, sectionName: %3$s}]
                  hostnames: %2$s
                  rules:
                  - matches: [{path: {type: RegularExpression, value: "%4$s"}}]
                    filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-marked, value: %1$s}]}}]
                    backendRefs: [{name: meshed, port: 80}]
                ---
                """.formatted(name, hosts, listener, pattern);
    }

    private static String warnings() {
        return lab.fathomd().text("/debug/ambientz");
    }

    /// Several objects change at once, and one of them is no good.
    @Test
    void givenAnUnacceptableRoute_whenOthersComeWithIt_thenTheyApplyAndItIsTold() {
        var routes = new StringBuilder();
        for (int i = 1; i <= 5; i++) {
            routes.append(route("r" + i, "[r" + i + ".example]", "http", i == 3 ? UNACCEPTABLE : "/"));
        }
        lab.write("routes", routes.toString());
        for (var i : new int[] {1, 2, 4, 5}) {
            soon().until(() -> client.get(80, "r" + i + ".example").contains("x-marked: r" + i));
        }
        assertThat(client.get(80, "r3.example")).startsWith("HTTP/1.1 404");
        soon().untilAsserted(() -> assertThat(warnings())
                .contains("HTTPRoute/shop/r3")
                .contains("envoy-refused")
                .contains("repetition"));
        assertThat(warnings()).doesNotContain("HTTPRoute/shop/r1", "HTTPRoute/shop/r5", "Gateway/edge/gw");

        lab.write("routes", routes.toString().replace(UNACCEPTABLE, "/"));
        soon().until(() -> client.get(80, "r3.example").contains("x-marked: r3"));
        soon().until(() -> !warnings().contains("HTTPRoute/shop/r3"));

        // Now that it is known to be good, a bad change of it leaves it as it was.
        lab.write("routes", routes.toString());
        soon().untilAsserted(() -> assertThat(warnings()).contains("HTTPRoute/shop/r3"));
        assertThat(client.get(80, "r3.example")).contains("x-marked: r3");
        lab.remove("routes");
        soon().until(() -> !warnings().contains("HTTPRoute/shop/r3"));
    }

    /// A patch breaks every listener.
    @Test
    void givenAnUnacceptablePatch_thenItIsToldAndOtherChangesApply() {
        lab.writeBrokenPatch("edge", "gw", "GATEWAY");
        soon().untilAsserted(() ->
                assertThat(warnings()).contains("EnvoyFilter/edge/broken").contains("envoy-refused"));
        lab.write("policy", """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: no-admin, namespace: edge}
                spec:
                  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: gw}]
                  action: DENY
                  rules: [{to: [{operation: {hosts: [admin.example]}}]}]
                """);
        soon().until(() -> client.get(81, "admin.example").startsWith("HTTP/1.1 403"));
        assertThat(client.get(81, "any.example")).contains("x-marked: base");
        assertThat(envoy.stat("listener_manager.lds.update_rejected")).isPositive();
        lab.remove("patch");
        soon().until(() -> !warnings().contains("EnvoyFilter/edge/broken"));
    }

    /// A patch breaks the cluster of one service, together with a rule that is fine; another breaks what it adds.
    @Test
    void givenAnUnacceptablePatchOfAClusterWithARule_thenThePatchIsToldAndTheRuleApplies() {
        lab.writePatches("clusters", "edge", "gw", """
                - applyTo: CLUSTER
                  match: {context: GATEWAY, cluster: {service: meshed.shop.svc.cluster.local}}
                  patch: %s
                - {applyTo: CLUSTER, patch: {operation: ADD, value: {name: none, type: EDS, connect_timeout: 1s}}}
                """.formatted(RefusalIT.HEALTH_CHECK_OF_NO_KIND));
        lab.write("rule", """
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: meshed, namespace: shop}
                spec: {host: meshed, trafficPolicy: {connectionPool: {tcp: {connectTimeout: 7s}}}}
                """);
        soon().untilAsserted(() ->
                assertThat(warnings()).contains("EnvoyFilter/edge/clusters").contains("envoy-refused"));
        soon().until(() ->
                envoy.admin("/config_dump?resource=dynamic_active_clusters").contains("\"connect_timeout\": \"7s\""));
        assertThat(client.get(81, "any.example")).contains("x-marked: base");
        assertThat(envoy.stat("cluster_manager.cds.update_rejected")).isPositive();
        assertThat(warnings()).doesNotContain("DestinationRule/", "Service/shop/meshed", "Gateway/edge/gw");
        lab.remove("rule");
        lab.remove("patch");
        soon().until(() -> !warnings().contains("EnvoyFilter/edge/clusters"));
    }
}
