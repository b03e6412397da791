// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.sun.net.httpserver.HttpServer;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap.StaticResources;
import io.envoyproxy.envoy.config.bootstrap.v3.LayeredRuntime;
import io.envoyproxy.envoy.config.bootstrap.v3.RuntimeLayer;
import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.config.core.v3.SubstitutionFormatString;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.rbac.v3.Permission;
import io.envoyproxy.envoy.config.rbac.v3.Policy;
import io.envoyproxy.envoy.config.rbac.v3.Principal;
import io.envoyproxy.envoy.config.rbac.v3.RBAC.Action;
import io.envoyproxy.envoy.config.route.v3.HeaderMatcher;
import io.envoyproxy.envoy.extensions.filters.common.set_filter_state.v3.FilterStateValue;
import io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC;
import io.envoyproxy.envoy.extensions.filters.http.set_filter_state.v3.Config;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.fathom.control.envoy.Plain;
import io.fathom.control.envoy.Sketch;
import io.fathom.control.envoy.StockEnvoy;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a stock Envoy logs, traces and counts of real requests. The `baggage` of a tunnel is put on requests here.
@Tag("slow")
class TelemetryTrafficTest {
    private static final String BAGGAGE = "k8s.cluster.name=c2,k8s.namespace.name=shop,k8s.deployment.name=web,"
            + "service.name=web-canonical,service.version=v7";
    private static final String PEER = "spiffe://cluster.local/ns/shop/sa/web";

    private static final String MESH = """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: istio, namespace: istio-system}
            data:
              mesh: |
                defaultConfig: {tracing: {sampling: 100}}
                extensionProviders:
                - name: lines
                  envoyFileAccessLog:
                    path: LOG
                    logFormat: {text: "%REQ(:PATH)% %RESPONSE_CODE% %UPSTREAM_CLUSTER_RAW%"}
                - name: collector
                  opentelemetry:
                    service: obs/otel.obs.svc.cluster.local
                    port: 4318
                    http: {path: /v1/traces, timeout: 5s, headers: [{name: x-tenant, value: fathom}]}
            """;

    private static final String TELEMETRY = """
            apiVersion: telemetry.istio.io/v1
            kind: Telemetry
            metadata: {name: mesh, namespace: istio-system}
            spec:
              accessLogging: [{providers: [{name: lines}]}]
              tracing: [{providers: [{name: collector}], customTags: {tenant: {literal: {value: blue}}}}]
            ---
            apiVersion: telemetry.istio.io/v1
            kind: Telemetry
            metadata: {name: echo, namespace: apps}
            spec:
              targetRefs: [{group: "", kind: Service, name: echo}]
              accessLogging: [{filter: {expression: "response.code >= 400"}}]
              metrics:
              - overrides:
                - match: {metric: REQUEST_COUNT}
                  tagOverrides:
                    request_host: {value: request.host}
                    team: {value: "'payments'"}
                    source_app: {operation: REMOVE}
                - match: {metric: REQUEST_SIZE}
                  disabled: true
            """;

    @TempDir
    static Path folder;

    static HttpServer backend;
    static ServerSocket lines;
    static StockEnvoy envoy;
    static final List<Span> SPANS = new CopyOnWriteArrayList<>();
    static final List<String> TENANTS = new CopyOnWriteArrayList<>();
    static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeAll
    static void start() throws Exception {
        backend = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
        backend.createContext("/", exchange -> {
            exchange.getResponseHeaders()
                    .add(
                            "saw-traceparent",
                            String.valueOf(exchange.getRequestHeaders().getFirst("traceparent")));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        backend.createContext("/v1/traces", exchange -> {
            var request = ExportTraceServiceRequest.parseFrom(exchange.getRequestBody());
            TENANTS.add(exchange.getRequestHeaders().getFirst("x-tenant"));
            request.getResourceSpansList()
                    .forEach(resource ->
                            resource.getScopeSpansList().forEach(scope -> SPANS.addAll(scope.getSpansList())));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        backend.start();
        lines = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
        Thread.ofVirtual().start(TelemetryTrafficTest::echoLines);

        var service = Sketch.service("apps", "echo", 80);
        var collector = Sketch.service("obs", "otel", 4318);
        var mesh = Sketch.one(
                MeshConfigManifest.class,
                MESH.replace("LOG", folder.resolve("access.log").toString()));
        var scope = TelemetryScope.of(
                TelemetryScope.Settings.of(mesh.telemetry(), "mesh-1"),
                Sketch.behind(Sketch.proxies(ProxyRole.WAYPOINT, "apps", "waypoint"), service),
                Sketch.read(TelemetryManifest.class, TELEMETRY),
                Sketch.destinations(collector));
        assertThat(scope.providers()).containsExactly(new ProviderUse(collector, 4318));
        envoy = StockEnvoy.start(folder, bootstrap(scope));
    }

    private static void echoLines() {
        while (true) {
            try (var socket = lines.accept()) {
                var _ = socket.getInputStream().transferTo(socket.getOutputStream());
            } catch (IOException _) {
                if (lines.isClosed()) {
                    return;
                }
            }
        }
    }

    @AfterAll
    static void stop() throws IOException {
        if (envoy != null) {
            envoy.close();
        }
        backend.stop(0);
        lines.close();
    }

    private static Bootstrap bootstrap(TelemetryScope scope) throws IOException {
        var manager = HttpConnectionManager.newBuilder()
                .setStatPrefix("http")
                .setRouteConfig(Plain.routes("http", Plain.route("/down", "down"), Plain.route("/", "up")))
                .addHttpFilters(Plain.filter("peer", peerFilter()))
                .addHttpFilters(Plain.filter("envoy.filters.http.rbac", denied()))
                .addHttpFilters(Plain.router());
        scope.addTo(manager);
        var proxy = TcpProxy.newBuilder().setStatPrefix("tcp").setCluster("lines");
        scope.addTo(proxy);
        var tcp = Filter.newBuilder()
                .setName("envoy.filters.network.tcp_proxy")
                .setTypedConfig(com.google.protobuf.Any.pack(proxy.build()));
        return Bootstrap.newBuilder()
                .setLayeredRuntime(LayeredRuntime.newBuilder()
                        .addLayers(RuntimeLayer.newBuilder()
                                .setName("test")
                                .setStaticLayer(Struct.newBuilder()
                                        .putFields(
                                                "tracing.opentelemetry.flush_interval_ms",
                                                Value.newBuilder()
                                                        .setNumberValue(100)
                                                        .build()))))
                .setStaticResources(StaticResources.newBuilder()
                        .addListeners(Plain.listener("http", Plain.manager(manager.build())))
                        .addListeners(Plain.listener("tcp", tcp.build()))
                        .addClusters(Plain.cluster("up", backend.getAddress().getPort(), "echo-v1;apps;echo;latest;c1"))
                        .addClusters(Plain.cluster("down", 1, "echo-v0;apps;echo;v0;c1"))
                        .addClusters(Plain.cluster("lines", lines.getLocalPort(), "lines;apps;lines;v2;c1"))
                        .addClusters(Plain.cluster(
                                "outbound|4318||otel.obs.svc.cluster.local",
                                backend.getAddress().getPort(),
                                "")))
                .build();
    }

    private static Config peerFilter() {
        return Config.newBuilder()
                .addAllOnRequestHeaders(PeerState.fromBaggage())
                .addOnRequestHeaders(FilterStateValue.newBuilder()
                        .setObjectKey(PeerState.PRINCIPAL)
                        .setFactoryKey("envoy.hashable_string")
                        .setFormatString(SubstitutionFormatString.newBuilder()
                                .setTextFormatSource(DataSource.newBuilder().setInlineString(PEER))))
                .build();
    }

    private static RBAC denied() {
        var path = HeaderMatcher.newBuilder()
                .setName(":path")
                .setStringMatch(StringMatcher.newBuilder().setPrefix("/denied"));
        return RBAC.newBuilder()
                .setRules(io.envoyproxy
                        .envoy
                        .config
                        .rbac
                        .v3
                        .RBAC
                        .newBuilder()
                        .setAction(Action.DENY)
                        .putPolicies(
                                "denied",
                                Policy.newBuilder()
                                        .addPermissions(Permission.newBuilder().setHeader(path))
                                        .addPrincipals(Principal.newBuilder().setAny(true))
                                        .build()))
                .build();
    }

    private static int get(String path, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + envoy.port("http") + path))
                .timeout(Duration.ofSeconds(30));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.send(request.build(), BodyHandlers.discarding()).statusCode();
    }

    /// The lines of a metric that have all these labels.
    private static List<String> metric(String name, String... labels) throws IOException {
        return envoy.admin("/stats/prometheus")
                .lines()
                .filter(line -> line.startsWith(name + "{"))
                .filter(line -> List.of(labels).stream().allMatch(line::contains))
                .toList();
    }

    @Test
    void givenRequests_thenCountersTellWhoAskedWhomAndWhatCameOut() throws Exception {
        assertThat(get("/labels", "baggage", BAGGAGE)).isEqualTo(200);
        assertThat(get("/denied", "baggage", BAGGAGE)).isEqualTo(403);
        assertThat(get("/down", "baggage", BAGGAGE)).isEqualTo(503);

        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            var ok = metric("envoy_istio_requests_total", "response_code=\"200\"", "source_workload=\"web\"");
            assertThat(ok).hasSize(1);
            assertThat(ok.getFirst())
                    .contains(
                            "reporter=\"waypoint\"",
                            "source_workload_namespace=\"shop\"",
                            "source_principal=\"" + PEER + "\"",
                            "source_version=\"v7\"",
                            "source_canonical_service=\"web-canonical\"",
                            "source_canonical_revision=\"v7\"",
                            "source_cluster=\"c2\"",
                            "destination_workload=\"echo-v1\"",
                            "destination_workload_namespace=\"apps\"",
                            "destination_principal=\"\"",
                            "destination_app=\"echo\"",
                            "destination_version=\"latest\"",
                            "destination_canonical_service=\"echo\"",
                            "destination_canonical_revision=\"latest\"",
                            "destination_cluster=\"c1\"",
                            "destination_service=\"echo.apps.svc.cluster.local\"",
                            "destination_service_name=\"echo\"",
                            "destination_service_namespace=\"apps\"",
                            "request_protocol=\"http\"",
                            "grpc_response_status=\"\"",
                            "connection_security_policy=\"mutual_tls\"",
                            "request_host=\"127.0.0.1:" + envoy.port("http") + "\"",
                            "team=\"payments\"")
                    .doesNotContain("source_app=");
            assertThat(metric(
                            "envoy_istio_requests_total",
                            "response_code=\"403\"",
                            "source_workload=\"web\"",
                            "destination_workload=\"\"",
                            "destination_canonical_revision=\"\""))
                    .hasSize(1);
            assertThat(metric(
                            "envoy_istio_requests_total",
                            "response_code=\"503\"",
                            "response_flags=\"UF",
                            "source_workload=\"web\""))
                    .hasSize(1);
            assertThat(metric("envoy_istio_request_duration_milliseconds_count", "source_workload=\"web\""))
                    .isNotEmpty();
            assertThat(metric("envoy_istio_response_bytes_count", "source_app=\"web-canonical\""))
                    .isNotEmpty();
            assertThat(metric("envoy_istio_request_bytes_count")).isEmpty();
        });
    }

    @Test
    void givenNoBaggage_thenTheSourceIsUnknown() throws Exception {
        assertThat(get("/nobody")).isEqualTo(200);
        assertThat(get("/partly", "baggage", "other=1,service.name=half;p=1")).isEqualTo(200);

        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(metric(
                            "envoy_istio_requests_total",
                            "source_workload=\"unknown\"",
                            "source_workload_namespace=\"unknown\"",
                            "source_canonical_service=\"unknown\"",
                            "source_canonical_revision=\"latest\"",
                            "source_cluster=\"unknown\"",
                            "source_principal=\"" + PEER + "\""))
                    .isNotEmpty();
            assertThat(metric(
                            "envoy_istio_requests_total",
                            "source_workload=\"unknown\"",
                            "source_canonical_service=\"half\""))
                    .hasSize(1);
        });
    }

    @Test
    void givenAConnection_thenItIsCountedWhenItOpensAndWhenItCloses() throws Exception {
        try (var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), envoy.port("tcp"))) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write("hello".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            assertThat(socket.getInputStream().readNBytes(5)).hasSize(5);
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(metric(
                                    "envoy_istio_tcp_connections_opened_total",
                                    "request_protocol=\"tcp\"",
                                    "destination_workload=\"lines\""))
                            .hasSize(1));
            assertThat(metric("envoy_istio_tcp_connections_closed_total")).isEmpty();
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(metric("envoy_istio_tcp_connections_closed_total", "destination_workload=\"lines\""))
                    .hasSize(1);
            assertThat(metric("envoy_istio_tcp_sent_bytes_total")).hasSize(1).allMatch(line -> line.endsWith(" 5"));
            assertThat(metric("envoy_istio_tcp_received_bytes_total"))
                    .hasSize(1)
                    .allMatch(line -> line.endsWith(" 5"));
        });
    }

    @Test
    void givenAFilter_thenOnlyWhatItIsTrueForIsLogged() throws Exception {
        assertThat(get("/quiet")).isEqualTo(200);
        assertThat(get("/denied/loud")).isEqualTo(403);
        assertThat(get("/down/loud")).isEqualTo(503);

        var log = folder.resolve("access.log");
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() ->
                        assertThat(Files.readAllLines(log)).contains("/denied/loud 403 up", "/down/loud 503 down"));
        assertThat(Files.readAllLines(log)).noneMatch(line -> line.contains("/quiet"));
    }

    @Test
    void givenATracedRequest_thenItsSpanTellsTheSource() throws Exception {
        assertThat(get("/traced", "baggage", BAGGAGE)).isEqualTo(200);

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(SPANS)
                        .anySatisfy(span -> assertThat(tags(span))
                                .containsEntry("istio.source_workload", "web")
                                .containsEntry("istio.source_namespace", "shop")
                                .containsEntry("istio.source_canonical_service", "web-canonical")
                                .containsEntry("istio.source_canonical_revision", "v7")
                                .containsEntry("istio.source_cluster_id", "c2")
                                .containsEntry("istio.destination_workload", "echo-v1")
                                .containsEntry("istio.destination_namespace", "apps")
                                .containsEntry("istio.destination_canonical_revision", "latest")
                                .containsEntry("istio.canonical_service", "waypoint")
                                .containsEntry("istio.mesh_id", "mesh-1")
                                .containsEntry("istio.cluster_id", "c1")
                                .containsEntry("tenant", "blue")));
        assertThat(TENANTS).contains("fathom");
    }

    private static Map<String, String> tags(Span span) {
        return span.getAttributesList().stream()
                .collect(Collectors.toMap(
                        KeyValue::getKey, tag -> tag.getValue().getStringValue(), (first, _) -> first));
    }
}
