// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Routes, rules and policies as users write them, all the way to a waypoint and through it.
@Tag("slow")
@Tag("interop")
class WaypointRoutesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static WaypointLab lab;
    private static LabEnvoy envoy;
    private static Caller caller;

    @BeforeAll
    static void start() throws Exception {
        lab = new WaypointLab();
        for (int i = 1; i <= 5; i++) {
            lab.service("s" + i, i, "[{name: http, port: 80}, {name: tcp, port: 9000}]");
            lab.pod("s" + i + "-v1", "{app: s" + i + ", version: v1}");
        }
        lab.pod("s1-v2", "{app: s1, version: v2}");
        lab.write("elsewhere", """
                apiVersion: v1
                kind: Namespace
                metadata: {name: elsewhere, labels: {istio.io/dataplane-mode: ambient}}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: far, namespace: elsewhere}
                spec: {clusterIP: %s, selector: {app: far}, ports: [{name: http, port: 80}]}
                """.formatted(lab.vip(60)));
        lab.podIn("elsewhere", "far-1", "{app: far}");
        envoy = lab.start().ready();
        caller = lab.caller("client");
    }

    @AfterAll
    static void stop() {
        lab.close();
    }

    @Test
    void givenSubsetsWithWeights_whenCalled_thenSharesAreKept() {
        lab.write("weights", """
                apiVersion: networking.istio.io/v1
                kind: DestinationRule
                metadata: {name: s1, namespace: shop}
                spec:
                  host: s1.shop.svc.cluster.local
                  subsets: [{name: v1, labels: {version: v1}}, {name: v2, labels: {version: v2}}]
                ---
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: s1, namespace: shop}
                spec:
                  hosts: [s1]
                  http:
                  - route:
                    - {destination: {host: s1, subset: v1}, weight: 90}
                    - {destination: {host: s1, subset: v2}, weight: 10}
                """);
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> envoy.admin("/clusters").contains("inbound-vip|80|http/v2|s1.shop"));
        var seen = new HashMap<String, Integer>();
        for (int i = 0; i < 300; i++) {
            seen.merge(WaypointIT.pod(caller.get(lab.vip(1) + ":80", "/")), 1, Integer::sum);
        }
        assertThat(seen.getOrDefault("s1-v2", 0)).isBetween(5, 80);
        assertThat(seen.getOrDefault("s1-v1", 0)).isBetween(220, 295);
    }

    /// Case 27.
    @Test
    void givenRouteToServiceOfOthers_whenCalled_thenItIsReachedAsAClient() {
        lab.write("route-far", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: far, namespace: shop}
                spec:
                  parentRefs: [{group: "", kind: Service, name: s2, port: 80}]
                  rules: [{backendRefs: [{name: far, namespace: elsewhere, port: 80}]}]
                """);
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> WaypointIT.pod(caller.get(lab.vip(2) + ":80", "/")).equals("far-1"));
        assertThat(envoy.admin("/clusters")).contains("outbound|80||far.elsewhere.svc.cluster.local");
    }

    /// Word for word what upstream's own test applies to a waypoint.
    @Test
    void givenAnEnvoyFilterForInboundTraffic_whenItNamesTheWaypoint_thenRequestsShowIt() {
        lab.write("inbound-filter", """
                apiVersion: networking.istio.io/v1alpha3
                kind: EnvoyFilter
                metadata: {name: inbound, namespace: shop}
                spec:
                  targetRefs:
                  - {kind: Gateway, name: waypoint, group: gateway.networking.k8s.io}
                  configPatches:
                  - applyTo: HTTP_FILTER
                    match:
                      context: SIDECAR_INBOUND
                      listener:
                        filterChain:
                          filter:
                            name: "envoy.filters.network.http_connection_manager"
                            subFilter:
                              name: "envoy.filters.http.router"
                    patch:
                      operation: INSERT_BEFORE
                      value:
                        name: envoy.lua
                        typed_config:
                          "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua"
                          inlineCode: |
                            function envoy_on_request(request_handle)
                              request_handle:headers():add("x-lua-inbound", "hello world")
                            end
                  - applyTo: VIRTUAL_HOST
                    match:
                      context: SIDECAR_INBOUND
                    patch:
                      operation: MERGE
                      value:
                        request_headers_to_add:
                        - header:
                            key: x-vhost-inbound
                            value: "hello world"
                  - applyTo: CLUSTER
                    match:
                      context: SIDECAR_INBOUND
                      cluster: {}
                    patch:
                      operation: MERGE
                      value:
                        http2_protocol_options: {}
                """);
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(caller.get(lab.vip(5) + ":80", "/"))
                        .contains("x-lua-inbound: hello world", "x-vhost-inbound: hello world"));
        lab.remove("inbound-filter");
    }

    /// Case 28.
    @Test
    void givenVirtualServiceOfForeignNamespace_whenCalled_thenItIsIgnored() {
        lab.write("foreign", """
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: s3, namespace: elsewhere}
                spec:
                  hosts: [s3.shop.svc.cluster.local]
                  http: [{directResponse: {status: 418}}]
                ---
                apiVersion: networking.istio.io/v1
                kind: VirtualService
                metadata: {name: s4, namespace: shop}
                spec:
                  hosts: [s4.shop.svc.cluster.local]
                  http: [{directResponse: {status: 418}}]
                """);
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> caller.get(lab.vip(4) + ":80", "/").startsWith("HTTP/1.1 418"));
        assertThat(WaypointIT.pod(caller.get(lab.vip(3) + ":80", "/"))).isEqualTo("s3-v1");
    }

    @Test
    void givenPolicyForAService_whenOthersCall_thenOnlyTheOneWhoMayGetsThrough() {
        lab.write("policy", """
                apiVersion: security.istio.io/v1
                kind: AuthorizationPolicy
                metadata: {name: s5, namespace: shop}
                spec:
                  targetRefs: [{group: "", kind: Service, name: s5}]
                  rules:
                  - from: [{source: {principals: [cluster.local/ns/shop/sa/friend]}}]
                    to: [{operation: {methods: [GET], paths: [/open*]}}]
                """);
        var friend = lab.caller("friend");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> caller.get(lab.vip(5) + ":80", "/open").startsWith("HTTP/1.1 403"));
        assertThat(WaypointIT.pod(friend.get(lab.vip(5) + ":80", "/open/door"))).isEqualTo("s5-v1");
        assertThat(friend.get(lab.vip(5) + ":80", "/closed")).startsWith("HTTP/1.1 403");
    }
}
