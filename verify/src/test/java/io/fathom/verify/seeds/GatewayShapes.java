// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;

/// The Gateways of seed 000, and the Envoy of the gateway that seed 003 follows a request through.
record GatewayShapes(Path folder) {
    private static final String TARGET = "outbound|8080||ch-dropwizard-public.channel.svc.cluster.local";
    private static final String IN_THE_MESH = "ambient.istio.io/redirection: enabled";

    private static final String MESH = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: channel}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: ch-dropwizard-public, namespace: channel, labels: {SERVICE_LABELS}}
            spec:
              clusterIP: 172.20.134.88
              clusterIPs: [172.20.134.88]
              selector: {app: public}
              ports: [{name: http, port: 8080}]
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: public-1, namespace: channel, labels: {app: public}, annotations: {POD_ANNOTATIONS}}
            spec: {nodeName: node-1, containers: [{name: main, image: none}]}
            status:
              phase: Running
              podIP: 10.90.165.200
              podIPs: [{ip: 10.90.165.200}]
              conditions: [{type: Ready, status: "True"}]
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: edge, namespace: istio-system}
            spec:
              gatewayClassName: istio
              listeners: [{name: http, port: 443, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
            ---
            apiVersion: gateway.networking.k8s.io/v1
            kind: HTTPRoute
            metadata: {name: api, namespace: channel}
            spec:
              parentRefs: [{name: edge, namespace: istio-system}]
              hostnames: [api.channel.io]
              rules: [{backendRefs: [{name: ch-dropwizard-public, port: 8080}], timeouts: {request: 30s}}]
            """;

    private static final String WAYPOINT = """
            apiVersion: gateway.networking.k8s.io/v1
            kind: Gateway
            metadata: {name: waypoint, namespace: channel}
            spec:
              gatewayClassName: istio-waypoint
              listeners: [{name: mesh, port: 15008, protocol: HBONE}]
            status: {addresses: [{type: Hostname, value: waypoint.channel.svc.cluster.local}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: waypoint, namespace: channel}
            spec:
              clusterIP: 172.20.134.1
              clusterIPs: [172.20.134.1]
              selector: {gateway.networking.k8s.io/gateway-name: waypoint}
              ports: [{name: mesh, port: 15008}]
            ---
            apiVersion: v1
            kind: Pod
            metadata:
              name: waypoint-1
              namespace: channel
              labels: {gateway.networking.k8s.io/gateway-name: waypoint, networking.istio.io/tunnel: http}
            spec: {nodeName: node-1, containers: [{name: main, image: none}]}
            status:
              phase: Running
              podIP: 10.90.165.7
              podIPs: [{ip: 10.90.165.7}]
              conditions: [{type: Ready, status: "True"}]
            """;

    // --- seed 000 ----------------------------------------------------------------------------------------------------

    /// The class is spelt without a hyphen there.
    void eastWest(String manifest) {
        try (var mesh = SeedMesh.of(folder, manifest)) {
            accepted(mesh, "Gateway/istio-eastwest/istio-eastwest");
            assertThat(mesh.problems()).isEmpty();
            var dump = new Dump(mesh.dump("waypoint", "istio-eastwest", "istio-eastwest"));
            assertThat(dump.listener("connect_terminate")
                            .at("/address/socket_address/port_value")
                            .asInt())
                    .isEqualTo(15008);
        }
    }

    void remote(String manifest) {
        try (var mesh = SeedMesh.of(folder, manifest)) {
            accepted(mesh, "Gateway/istio-eastwest/istio-remote-peer-cluster-b");
            assertThat(mesh.problems()).isEmpty();
        }
    }

    private static void accepted(SeedMesh mesh, String gateway) {
        var status = mesh.status(gateway);
        assertThat(SeedsTest.only(status.path("conditions"), "type", "Accepted")
                        .path("status")
                        .asText())
                .isEqualTo("True");
        assertThat(SeedsTest.only(status.at("/listeners/0/conditions"), "type", "Accepted")
                        .path("status")
                        .asText())
                .isEqualTo("True");
    }

    // --- seed 003 ----------------------------------------------------------------------------------------------------

    void listener() {
        var listener = dump("", "").listener("0.0.0.0_443");
        assertThat(listener.at("/address/socket_address/address").asText()).isEqualTo("0.0.0.0");
        assertThat(listener.at("/address/socket_address/port_value").asInt()).isEqualTo(443);
        var filter = listener.at("/filter_chains/0/filters/0");
        assertThat(filter.path("name").asText()).isEqualTo("envoy.filters.network.http_connection_manager");
        assertThat(filter.at("/typed_config/rds/route_config_name").asText()).isEqualTo("http.443");
        assertThat(filter.at("/typed_config/rds/config_source").has("ads")).isTrue();
    }

    void routes() {
        var host = dump("", "").routes("http.443").at("/virtual_hosts/0");
        assertThat(host.path("name").asText()).isEqualTo("api.channel.io:443");
        assertThat(host.at("/domains/0").asText()).isEqualTo("api.channel.io");
        var route = host.at("/routes/0");
        assertThat(route.at("/match/prefix").asText()).isEqualTo("/");
        assertThat(route.at("/route/cluster").asText()).isEqualTo(TARGET);
        assertThat(route.at("/route/timeout").asText()).isEqualTo("30s");
    }

    void endpointOutside() {
        var dump = dump("", "");
        var endpoint = dump.endpoint(TARGET);
        var address = endpoint.at("/endpoint/address/socket_address");
        assertThat(address.path("address").asText()).isEqualTo("10.90.165.200");
        assertThat(address.path("port_value").asInt()).isEqualTo(8080);
        assertThat(endpoint.at("/metadata/filter_metadata/envoy.transport_socket_match")
                        .isEmpty())
                .isTrue();
        assertThat(sockets(dump)).containsExactly("hbone http", "tlsMode-disabled ");
    }

    /// The names of the rules that choose a transport socket, and the value of `tunnel` that each wants.
    private static List<String> sockets(Dump dump) {
        return StreamSupport.stream(
                        dump.cluster(TARGET).path("transport_socket_matches").spliterator(), false)
                .map(match -> match.path("name").asText() + " "
                        + match.at("/match/tunnel").asText())
                .toList();
    }

    void endpointInTheMesh() {
        var dump = dump("", IN_THE_MESH);
        var metadata = tunnelled(dump);
        assertThat(metadata.at("/envoy.filters.listener.original_dst/local").asText())
                .isEqualTo("10.90.165.200:8080");
        assertThat(metadata.at("/envoy.filters.listener.original_dst").has("waypoint"))
                .isFalse();
        var socket = dump.cluster(TARGET).at("/transport_socket_matches/0/transport_socket");
        assertThat(socket.path("name").asText()).isEqualTo("envoy.transport_sockets.internal_upstream");
        assertThat(socket.at("/typed_config/passthrough_metadata").toString())
                .contains("envoy.filters.listener.original_dst");
    }

    /// Only with both labels: line 48.
    void endpointBehindAWaypoint() {
        var both = "istio.io/use-waypoint: waypoint, istio.io/ingress-use-waypoint: \"true\"";
        var metadata = tunnelled(dump(both, IN_THE_MESH)).path("envoy.filters.listener.original_dst");
        assertThat(metadata.path("local").asText()).isEqualTo("172.20.134.88:8080");
        assertThat(metadata.path("waypoint").asText()).isEqualTo("10.90.165.7:15008");
        var one = tunnelled(dump("istio.io/use-waypoint: waypoint", IN_THE_MESH));
        assertThat(one.path("envoy.filters.listener.original_dst").has("waypoint"))
                .isFalse();
    }

    private static JsonNode tunnelled(Dump dump) {
        var endpoint = dump.endpoint(TARGET);
        assertThat(endpoint.at("/endpoint/address/envoy_internal_address/server_listener_name")
                        .asText())
                .isEqualTo("connect_originate");
        var metadata = endpoint.at("/metadata/filter_metadata");
        assertThat(metadata.at("/envoy.transport_socket_match/tunnel").asText()).isEqualTo("http");
        return metadata;
    }

    /// The name for the tunnel is the address that the listener filter restored; Envoy spells that as a format today.
    void tunnelListener() {
        var listener = dump("", "").listener("connect_originate");
        assertThat(listener.has("internal_listener")).isTrue();
        assertThat(listener.at("/listener_filters/0/name").asText()).isEqualTo("envoy.filters.listener.original_dst");
        var proxy = listener.at("/filter_chains/0/filters/0");
        assertThat(proxy.path("name").asText()).isEqualTo("envoy.filters.network.tcp_proxy");
        assertThat(proxy.at("/typed_config/stat_prefix").asText()).isEqualTo("connect_originate");
        assertThat(proxy.at("/typed_config/cluster").asText()).isEqualTo("connect_originate");
        assertThat(proxy.at("/typed_config/tunneling_config/hostname").asText())
                .isEqualTo("%DOWNSTREAM_LOCAL_ADDRESS%");
    }

    void tunnelCluster() {
        var cluster = dump("", "").cluster("connect_originate");
        assertThat(cluster.path("type").asText()).isEqualTo("ORIGINAL_DST");
        assertThat(cluster.path("connect_timeout").asText()).isEqualTo("10s");
        assertThat(cluster.path("lb_policy").asText()).isEqualTo("CLUSTER_PROVIDED");
        assertThat(cluster.at("/original_dst_lb_config/upstream_port_override").asInt())
                .isEqualTo(15008);
        assertThat(cluster.at("/original_dst_lb_config/metadata_key/path/0/key").asText())
                .isEqualTo("waypoint");
        assertThat(cluster.at("/transport_socket/name").asText()).isEqualTo("envoy.transport_sockets.tls");
        var tls = cluster.at("/transport_socket/typed_config/common_tls_context");
        assertThat(tls.at("/tls_certificate_sds_secret_configs/0/name").asText())
                .isEqualTo("default");
        assertThat(tls.at("/alpn_protocols/0").asText()).isEqualTo("h2");
    }

    private Dump dump(String serviceLabels, String podAnnotations) {
        var manifests = MESH.replace("SERVICE_LABELS", serviceLabels).replace("POD_ANNOTATIONS", podAnnotations);
        try (var mesh = SeedMesh.of(folder, manifests, WAYPOINT)) {
            return new Dump(mesh.dump("router", "istio-system", "edge"));
        }
    }
}
