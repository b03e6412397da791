// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.awaitility.Awaitility;

/// Stock Envoy inside a pod, on the ports where a node proxy would be, with a certificate of the lab's authority: it
/// wraps what the pod sends into HBONE to one other pod, or takes HBONE from one. Ends with the lab.
public final class EnvoyProxy {
    private static final int OUTBOUND = 15001;
    private static final int HBONE = 15008;

    private final Process process;

    private EnvoyProxy(Process process) {
        this.process = process;
    }

    /// Takes HBONE for the applications of a pod, and logs authority and identity of each client.
    ///
    /// @param program the path of Envoy
    /// @param ports of applications of the pod
    public static EnvoyProxy terminating(MeshLab lab, Path program, LabPod pod, LabPod peer, List<Integer> ports) {
        var routes = new StringBuilder();
        var clusters = new StringBuilder();
        for (var port : ports) {
            routes.append("""
                - match: {connect_matcher: {}, headers: [{name: ":authority", string_match: {suffix: ":%1$d"}}]}
                  route: {cluster: app-%1$d, timeout: 0s, upgrade_configs: [{upgrade_type: CONNECT, connect_config: {}}]}
                """.formatted(port).indent(14));
            clusters.append("""
                - name: app-%1$d
                  type: STATIC
                  load_assignment:
                    cluster_name: app-%1$d
                    endpoints:
                    - lb_endpoints: [{endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: %1$d}}}}]
                """.formatted(port).indent(2));
        }
        return start(lab, program, pod, HBONE, """
                static_resources:
                  listeners:
                  - name: hbone
                    address: {socket_address: {address: %1$s, port_value: %2$d}}
                    filter_chains:
                    - transport_socket:
                        name: tls
                        typed_config:
                          "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
                          require_client_certificate: true
                %3$s
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
                %4$s
                          http_filters:
                          - name: router
                            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
                  clusters:
                %5$s
                """.formatted(
                        pod.ip(),
                        HBONE,
                        credentials(lab, pod, peer, 10),
                        routes.toString().stripTrailing(),
                        clusters.toString().stripTrailing()));
    }

    /// Takes what the pod sends, wherever to, and wraps it into HBONE to the other pod.
    public static EnvoyProxy originating(MeshLab lab, Path program, LabPod pod, LabPod peer) {
        return start(lab, program, pod, OUTBOUND, """
                static_resources:
                  listeners:
                  - name: captured
                    address: {socket_address: {address: 0.0.0.0, port_value: %4$d}}
                    listener_filters:
                    - name: destination
                      typed_config:
                        "@type": type.googleapis.com/envoy.extensions.filters.listener.original_dst.v3.OriginalDst
                    filter_chains:
                    - filters:
                      - name: tcp
                        typed_config:
                          "@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy
                          stat_prefix: tunnel
                          cluster: hbone
                          tunneling_config: {hostname: "%%DOWNSTREAM_LOCAL_ADDRESS%%"}
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
                """.formatted(
                        peer.ip(), credentials(lab, pod, peer, 8), pod.ip(), OUTBOUND));
    }

    private static String credentials(MeshLab lab, LabPod pod, LabPod peer, int indent) {
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
            """.formatted(lab.certificate(pod), pod.name(), peer.name())
                .indent(indent)
                .stripTrailing();
    }

    private static EnvoyProxy start(MeshLab lab, Path program, LabPod pod, int port, String config) {
        var name = "envoy-" + pod.name();
        try {
            var file = Files.writeString(lab.folder(name).resolve("config.yaml"), config);
            // As many threads as a node proxy has on a small machine.
            var process = lab.run(
                    pod,
                    name,
                    List.of(
                            program.toString(),
                            "-c",
                            file.toString(),
                            "--use-dynamic-base-id",
                            "--concurrency",
                            "2",
                            "--log-level",
                            "warn"));
            Awaitility.await(name)
                    .until(() -> !process.isAlive()
                            || pod.namespace().run("ss", "-ltn").contains(":" + port));
            if (!process.isAlive()) {
                throw new IllegalStateException("Envoy ended:\n" + lab.log(name));
            }
            return new EnvoyProxy(process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public long pid() {
        return process.pid();
    }
}
