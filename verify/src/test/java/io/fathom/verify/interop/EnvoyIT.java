package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.lab.LabPod;
import io.fathom.verify.lab.MeshLab;
import io.fathom.verify.lab.ProxyProgram;
import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Stock Envoy at the other end of a tunnel, once terminating HBONE and once originating it, with certificates of our
/// authority.
@Tag("slow")
@Tag("interop")
class EnvoyIT {
    @Test
    void givenEnvoyInFrontOfTheServer_whenOurClientCalls_thenItsIdentityIsSeen() throws IOException {
        var envoy = StockProgram.ENVOY.require();
        try (var lab = new MeshLab()) {
            var client = lab.pod("client", "node-a");
            var server = lab.pod("server", "node-b");
            var config = Files.writeString(
                    lab.certificate(server).resolve("terminate.yaml"), terminating(lab, server, "client"));
            try (var _ = lab.proxy("node-a", ProxyProgram.ours(), Map.of());
                    var web = WebServer.in(lab, server)) {
                start(lab, server, envoy.toString(), config.toString(), 15008);
                assertThat(web.ask(client, "/")).isEqualTo("hello from server");
                assertThat(web.ask(client, "/")).isEqualTo("hello from server");
                Awaitility.await()
                        .untilAsserted(() -> assertThat(lab.log("envoy"))
                                .contains("authority=" + server.ip() + ":8080")
                                .contains("peer=spiffe://cluster.local/ns/lab/sa/client"));
            }
        }
    }

    @Test
    void givenEnvoyAsClient_whenItOpensTunnels_thenOurServerTakesThem() throws IOException {
        var envoy = StockProgram.ENVOY.require();
        try (var lab = new MeshLab()) {
            var client = lab.pod("client", "node-a");
            var server = lab.pod("server", "node-b");
            var config = Files.writeString(
                    lab.certificate(client).resolve("originate.yaml"), originating(lab, client, server));
            try (var far = lab.proxy("node-b", ProxyProgram.ours(), Map.of());
                    var _ = WebServer.in(lab, server)) {
                start(lab, client, envoy.toString(), config.toString(), 9000);
                for (int i = 0; i < 3; i++) {
                    assertThat(WebServer.ask(client, "127.0.0.1:9000", "/")).isEqualTo("hello from server");
                }
                assertThat(far.get(15020, "/metrics"))
                        .containsPattern("source_principal=\"spiffe://cluster.local/ns/lab/sa/client\".*mutual_tls");
            }
        }
    }

    private static void start(MeshLab lab, LabPod pod, String envoy, String config, int port) {
        // As root it would be captured like any program: its own connections carry the mark of node proxies.
        var process =
                lab.run(pod, "envoy", List.of(envoy, "-c", config, "--use-dynamic-base-id", "--concurrency", "1"));
        Awaitility.await("envoy")
                .until(() ->
                        !process.isAlive() || pod.namespace().run("ss", "-ltn").contains(":" + port));
        assertThat(process.isAlive()).as(lab.log("envoy")).isTrue();
    }

    private static String terminating(MeshLab lab, LabPod pod, String peer) {
        return """
                static_resources:
                  listeners:
                  - name: hbone
                    address: {socket_address: {address: %1$s, port_value: 15008}}
                    filter_chains:
                    - transport_socket:
                        name: tls
                        typed_config:
                          "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
                          require_client_certificate: true
                %2$s
                      filters:
                      - name: hcm
                        typed_config:
                          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                          stat_prefix: hbone
                          http2_protocol_options: {allow_connect: true}
                          upgrade_configs: [{upgrade_type: CONNECT}]
                          access_log:
                          - name: log
                            typed_config:
                              "@type": type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog
                              path: /dev/stdout
                              log_format:
                                text_format_source:
                                  inline_string: "authority=%%REQ(:AUTHORITY)%% peer=%%DOWNSTREAM_PEER_URI_SAN%%\\n"
                          route_config:
                            virtual_hosts:
                            - name: all
                              domains: ["*"]
                              routes:
                              - match: {connect_matcher: {}}
                                route: {cluster: app, upgrade_configs: [{upgrade_type: CONNECT, connect_config: {}}]}
                          http_filters:
                          - name: router
                            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
                  clusters:
                  - name: app
                    type: STATIC
                    load_assignment:
                      cluster_name: app
                      endpoints:
                      - lb_endpoints: [{endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: 8080}}}}]
                """.formatted(pod.ip(), credentials(lab, pod, peer, 10));
    }

    private static String originating(MeshLab lab, LabPod pod, LabPod target) {
        return """
                static_resources:
                  listeners:
                  - name: plain
                    address: {socket_address: {address: 127.0.0.1, port_value: 9000}}
                    filter_chains:
                    - filters:
                      - name: tcp
                        typed_config:
                          "@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy
                          stat_prefix: tunnel
                          cluster: hbone
                          tunneling_config: {hostname: "%1$s:8080"}
                  clusters:
                  - name: hbone
                    type: STATIC
                    upstream_bind_config:
                      source_address: {address: %3$s, port_value: 0}
                      socket_options: [{level: 1, name: 36, int_value: 1337, state: STATE_PREBIND}]
                    typed_extension_protocol_options:
                      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
                        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
                        explicit_http_config: {http2_protocol_options: {allow_connect: true}}
                    transport_socket:
                      name: tls
                      typed_config:
                        "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
                %2$s
                    load_assignment:
                      cluster_name: hbone
                      endpoints:
                      - lb_endpoints: [{endpoint: {address: {socket_address: {address: %1$s, port_value: 15008}}}}]
                """.formatted(target.ip(), credentials(lab, pod, target.name(), 8), pod.ip());
    }

    private static String credentials(MeshLab lab, LabPod pod, String peer, int indent) {
        return """
            common_tls_context:
              alpn_protocols: [h2]
              tls_params: {tls_minimum_protocol_version: TLSv1_3, tls_maximum_protocol_version: TLSv1_3}
              tls_certificates:
              - {certificate_chain: {filename: %1$s/%2$s.pem}, private_key: {filename: %1$s/%2$s-key.pem}}
              validation_context:
                trusted_ca: {filename: %1$s/%2$s-root.pem}
                match_typed_subject_alt_names:
                - {san_type: URI, matcher: {exact: "spiffe://cluster.local/ns/lab/sa/%3$s"}}
            """.formatted(lab.certificate(pod), pod.name(), peer)
                .indent(indent)
                .stripTrailing();
    }
}
