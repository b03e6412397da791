// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import io.fathom.verify.peers.StockProgram;
import io.fathom.verify.peers.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;

/// A stock Envoy in a namespace of its own that takes its configuration from a control plane.
final class LabEnvoy {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ADMIN = 15000;
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

    private final Workspace workspace;
    private final String name;
    private final String admin;

    private LabEnvoy(Workspace workspace, LabLink link, String name) {
        this.workspace = workspace;
        this.name = name;
        this.admin = "http://" + link.proxy() + ":" + ADMIN;
    }

    /// What it is told at its start.
    ///
    /// @param type `waypoint` or `router`
    /// @param transport lines of YAML for the connection to the control plane, such as TLS; may be empty
    record Start(
            String type,
            String namespace,
            String gateway,
            String account,
            int xds,
            int secrets,
            String transport,
            String cluster) {
        Start(String type, String namespace, String gateway, String account, int xds, int secrets, String transport) {
            this(type, namespace, gateway, account, xds, secrets, transport, "Kubernetes");
        }

        Start in(String otherCluster) {
            return new Start(type, namespace, gateway, account, xds, secrets, transport, otherCluster);
        }
    }

    /// Starts it; it may not be ready yet.
    static LabEnvoy start(Workspace workspace, LabLink link, String name, Start start) throws IOException {
        return start(workspace, link, name, start, text -> text);
    }

    /// @param changed what becomes of the lines of its bootstrap
    static LabEnvoy start(Workspace workspace, LabLink link, String name, Start start, UnaryOperator<String> changed)
            throws IOException {
        var text = changed.apply(bootstrap(link, name, start));
        var file = Files.writeString(workspace.directory().resolve(name + ".yaml"), text);
        return start(
                workspace,
                link,
                name,
                List.of(
                        "-c",
                        file.toString(),
                        "--use-dynamic-base-id",
                        "--concurrency",
                        "1",
                        "--drain-time-s",
                        "1",
                        "--log-level",
                        "info"));
    }

    /// Starts it with these arguments; its admin port has to be where the others have it.
    static LabEnvoy start(Workspace workspace, LabLink link, String name, List<String> arguments) throws IOException {
        var command = new ArrayList<>(List.of(
                "ip",
                "netns",
                "exec",
                link.namespace().name(),
                StockProgram.ENVOY.require().toString()));
        command.addAll(arguments);
        var process = workspace.start(name, command, Map.of());
        var envoy = new LabEnvoy(workspace, link, name);
        workspace.await(name, process, PATIENCE, envoy::answers);
        return envoy;
    }

    private boolean answers() {
        try {
            return !admin("/ready").isEmpty();
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    /// Waits until it has all it needs.
    LabEnvoy ready() {
        Awaitility.await(name).atMost(PATIENCE).until(() -> admin("/ready").contains("LIVE"));
        return this;
    }

    /// A page of its admin port.
    String admin(String path) {
        return ask(HttpRequest.newBuilder(URI.create(admin + path)).build());
    }

    /// For pages that change something.
    String post(String path) {
        return ask(HttpRequest.newBuilder(URI.create(admin + path))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build());
    }

    private static String ask(HttpRequest request) {
        try {
            return CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /// The value of a counter or gauge; 0 when it is not there.
    long stat(String stat) {
        var exactly = "^" + stat.replace(".", "\\.").replace("|", "\\|") + "$";
        return admin("/stats?filter=" + URLEncoder.encode(exactly, StandardCharsets.UTF_8))
                .lines()
                .filter(line -> line.contains(": "))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElse(0);
    }

    /// All that it has written.
    String log() {
        try {
            return Files.readString(workspace.directory().resolve(name + ".log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static String bootstrap(LabLink link, String name, Start start) {
        return """
                admin: {address: {socket_address: {address: %3$s, port_value: %1$d}}}
                node:
                  id: %2$s~%3$s~%4$s.%5$s~%5$s.svc.cluster.local
                  cluster: %6$s.%5$s
                  metadata:
                    NAMESPACE: %5$s
                    SERVICE_ACCOUNT: %7$s
                    CLUSTER_ID: %12$s
                    ISTIO_VERSION: 1.32.0
                    NAME: %4$s
                    LABELS: {gateway.networking.k8s.io/gateway-name: %6$s}
                bootstrap_extensions:
                - name: envoy.bootstrap.internal_listener
                  typed_config:
                    "@type": type.googleapis.com/envoy.extensions.bootstrap.internal_listener.v3.InternalListener
                    buffer_size_kb: 64
                dynamic_resources:
                  lds_config: {ads: {}, initial_fetch_timeout: 0s, resource_api_version: V3}
                  cds_config: {ads: {}, initial_fetch_timeout: 0s, resource_api_version: V3}
                  ads_config:
                    api_type: DELTA_GRPC
                    transport_api_version: V3
                    set_node_on_first_message_only: true
                    grpc_services: [{envoy_grpc: {cluster_name: xds-grpc}}]
                static_resources:
                  clusters:
                  - name: xds-grpc
                    type: STATIC
                    connect_timeout: 5s
                    load_assignment:
                      cluster_name: xds-grpc
                      endpoints:
                      - lb_endpoints: [{endpoint: {address: {socket_address: {address: %8$s, port_value: %9$d}}}}]
                    typed_extension_protocol_options: &h2
                      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
                        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
                        explicit_http_config: {http2_protocol_options: {}}
                %11$s
                  - name: sds-grpc
                    type: STATIC
                    connect_timeout: 5s
                    load_assignment:
                      cluster_name: sds-grpc
                      endpoints:
                      - lb_endpoints: [{endpoint: {address: {socket_address: {address: %8$s, port_value: %10$d}}}}]
                    typed_extension_protocol_options: *h2
                """.formatted(
                        ADMIN,
                        start.type(),
                        link.proxy(),
                        name,
                        start.namespace(),
                        start.gateway(),
                        start.account(),
                        link.host(),
                        start.xds(),
                        start.secrets(),
                        start.transport().indent(4).stripTrailing(),
                        start.cluster());
    }

    Path folder() {
        return workspace.directory();
    }
}
