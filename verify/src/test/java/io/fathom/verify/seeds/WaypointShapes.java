// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.wire.xds.store.XdsType;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/// Waypoints and their routes as the seeds write them, and what Envoys and node proxies get of them.
record WaypointShapes(Path folder) {
    /// What the deployment of a Gateway writes into its status; in a folder nobody does.
    private static final String DEPLOYED = """

            status: {addresses: [{type: Hostname, value: my-waypoint.default.svc.cluster.local}]}
            """;

    private static final String SERVICES = """
            apiVersion: v1
            kind: Service
            metadata: {name: payments, namespace: default, labels: {istio.io/use-waypoint: my-waypoint}}
            spec: {clusterIP: 10.96.0.2, clusterIPs: [10.96.0.2], selector: {app: payments}, ports: [{name: http, port: 80}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: echo, namespace: default, labels: {istio.io/use-waypoint: my-waypoint}}
            spec: {clusterIP: 10.96.0.3, clusterIPs: [10.96.0.3], selector: {app: echo}, ports: [{name: http, port: 80}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: echo-v1, namespace: default}
            spec: {clusterIP: 10.96.0.4, clusterIPs: [10.96.0.4], selector: {app: echo, v: one}, ports: [{name: http, port: 80}]}
            """;

    private static final String POLICY = """
            apiVersion: security.istio.io/v1
            kind: AuthorizationPolicy
            metadata: {name: readers, namespace: default}
            spec:
              targetRefs: [{group: "", kind: Service, name: payments}]
              rules: [{to: [{operation: {methods: [GET]}}]}]
            ---
            apiVersion: security.istio.io/v1
            kind: AuthorizationPolicy
            metadata: {name: callers, namespace: default}
            spec: {rules: [{from: [{source: {principals: [cluster.local/ns/default/sa/web]}}]}]}
            """;

    /// Seed 000, from line 228 on: an Envoy gets these types and no other; policies about HTTP are in its listeners.
    void types(String printed) {
        try (var mesh = mesh(POLICY)) {
            var dump = new Dump(mesh.dump("waypoint", "default", "my-waypoint"));
            assertThat(dump.types())
                    .contains(
                            config("Listeners"),
                            config("Clusters"),
                            config("Routes"),
                            config("Endpoints"),
                            config("Secrets"))
                    .noneMatch(type -> type.contains("istio."));
            var subscribed = Pattern.compile("(?m)^envoy[.\\w]+")
                    .matcher(printed)
                    .results()
                    .map(match -> "type.googleapis.com/" + match.group())
                    .toList();
            assertThat(subscribed)
                    .hasSize(5)
                    .containsAll(List.of(
                            XdsType.LISTENER.url(),
                            XdsType.CLUSTER.url(),
                            XdsType.ROUTES.url(),
                            XdsType.ENDPOINTS.url()));
            assertThat(dump.listener("connect_terminate")
                            .at("/address/socket_address/port_value")
                            .asInt())
                    .isEqualTo(15008);
            assertThat(dump.listener("main_internal").toString()).contains("envoy.filters.http.rbac", "GET");
            assertThat(mesh.resource("default/readers").isMissingNode())
                    .as("a policy of the waypoint is none of node proxies")
                    .isTrue();
            assertThat(mesh.resource("default/callers").path("scope").asText()).isEqualTo("NAMESPACE");
        }
    }

    void waypoint(String manifest) {
        try (var mesh = SeedMesh.of(folder, manifest + DEPLOYED, SERVICES)) {
            assertThat(mesh.problems()).isEmpty();
            var payments = mesh.resource("default/payments.default.svc.cluster.local");
            assertThat(payments.at("/service/waypoint/hostname/hostname").asText())
                    .isEqualTo("my-waypoint.default.svc.cluster.local");
            assertThat(payments.at("/service/waypoint/hboneMtlsPort").asInt()).isEqualTo(15008);
            var dump = new Dump(mesh.dump("waypoint", "default", "my-waypoint"));
            assertThat(dump.cluster(cluster("payments")).path("type").asText()).isEqualTo("EDS");
        }
    }

    /// For `echo` the Envoy has a route to `echo-v1`, and says so on the route.
    void route(String manifest) {
        try (var mesh = mesh(manifest)) {
            assertThat(mesh.problems()).isEmpty();
            var conditions = mesh.status("HTTPRoute/default/echo").at("/parents/0/conditions");
            assertThat(SeedsTest.only(conditions, "type", "Accepted")
                            .path("status")
                            .asText())
                    .isEqualTo("True");
            var dump = new Dump(mesh.dump("waypoint", "default", "my-waypoint"));
            var route = dump.routes(cluster("echo")).at("/virtual_hosts/0/routes/0");
            assertThat(route.at("/match/prefix").asText()).isEqualTo("/");
            assertThat(route.at("/route/cluster").asText()).contains("echo-v1.default.svc.cluster.local");
        }
    }

    private SeedMesh mesh(String manifest) {
        return SeedMesh.of(folder, Excerpt.at("001:193").text() + DEPLOYED, SERVICES, manifest);
    }

    private static String config(String of) {
        return "type.googleapis.com/envoy.admin.v3." + of + "ConfigDump";
    }

    private static String cluster(String service) {
        return "inbound-vip|80|http|" + service + ".default.svc.cluster.local";
    }
}
