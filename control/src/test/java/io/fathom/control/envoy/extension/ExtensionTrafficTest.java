// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpServer;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap.StaticResources;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.config.core.v3.PathConfigSource;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.fathom.base.lang.Problem;
import io.fathom.control.envoy.Plain;
import io.fathom.control.envoy.Sketch;
import io.fathom.control.envoy.StockEnvoy;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.Situation;
import io.fathom.wire.kube.extension.ExtensionManifest;
import io.fathom.wire.kube.extension.TrafficExtension.Phase;
import io.fathom.wire.kube.extension.TrafficExtensionManifest;
import io.fathom.wire.kube.extension.WasmPluginManifest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a stock Envoy does with modules and scripts. Resources come from files here; a proxy gets them over its stream.
@Tag("slow")
class ExtensionTrafficTest {
    private static final Situation SITUATION =
            Sketch.behind(Sketch.proxies(ProxyRole.WAYPOINT, "apps", "waypoint"), Sketch.service("apps", "echo", 80));
    private static final Modules FAILED =
            _ -> new ModuleState.Failed(Problem.ofInput("module-missing", "not there", "put it there"));
    private static final Modules READY = _ -> new ModuleState.Ready(ByteString.copyFrom(TinyModule.BYTES));

    @TempDir
    static Path folder;

    static HttpServer server;
    static StockEnvoy envoy;

    @BeforeAll
    static void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        var port = server.getAddress().getPort();
        deliver("closed", plugin("FAIL_CLOSE"), FAILED);
        deliver("open", plugin("FAIL_OPEN"), FAILED);
        deliver("swapped", plugin("FAIL_CLOSE"), FAILED);
        deliver("lua", script("v1"), READY);
        envoy = StockEnvoy.start(
                folder,
                Bootstrap.newBuilder()
                        .setNode(Node.newBuilder().setId("waypoint").setCluster("apps"))
                        .setStaticResources(StaticResources.newBuilder()
                                .addListeners(listener("closed", plugin("FAIL_CLOSE")))
                                .addListeners(listener("open", plugin("FAIL_OPEN")))
                                .addListeners(listener("swapped", plugin("FAIL_CLOSE")))
                                .addListeners(listener("lua", script("v1")))
                                .addClusters(Plain.cluster("up", port, "")))
                        .build());
    }

    @AfterAll
    static void stop() {
        if (envoy != null) {
            envoy.close();
        }
        server.stop(0);
    }

    private static ExtensionManifest plugin(String strategy) {
        return Sketch.one(WasmPluginManifest.class, """
                apiVersion: extensions.istio.io/v1alpha1
                kind: WasmPlugin
                metadata: {name: tea, namespace: apps}
                spec:
                  targetRefs: [{kind: Service, name: echo}]
                  url: oci://registry.example/tea:v1
                  failStrategy: %s
                  pluginConfig: {strong: true}
                """.formatted(strategy));
    }

    private static ExtensionManifest script(String version) {
        return Sketch.one(TrafficExtensionManifest.class, """
                apiVersion: extensions.istio.io/v1alpha1
                kind: TrafficExtension
                metadata: {name: script, namespace: apps}
                spec:
                  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: waypoint}]
                  lua:
                    inlineCode: |
                      function envoy_on_response(handle)
                        handle:headers():add("x-script", "%s")
                      end
                """.formatted(version));
    }

    private static Listener listener(String name, ExtensionManifest manifest) {
        var filters = Extensions.of(SITUATION, List.of(manifest)).http(Phase.UNSPECIFIED, 80);
        assertThat(filters).hasSize(1);
        var manager = HttpConnectionManager.newBuilder()
                .setStatPrefix(name)
                .setRouteConfig(Plain.routes(name, Plain.route("/", "up")))
                .addHttpFilters(fromFile(name, filters.getFirst()))
                .addHttpFilters(Plain.router());
        return Plain.listener(name, Plain.manager(manager.build()));
    }

    private static HttpFilter fromFile(String name, HttpFilter filter) {
        var source = ConfigSource.newBuilder()
                .setPathConfigSource(
                        PathConfigSource.newBuilder().setPath(file(name).toString()));
        var result = filter.toBuilder();
        result.getConfigDiscoveryBuilder().setConfigSource(source);
        return result.build();
    }

    private static Path file(String name) {
        return folder.resolve(name + ".pb");
    }

    private static void deliver(String name, ExtensionManifest manifest, Modules modules) throws IOException {
        var response = DiscoveryResponse.newBuilder();
        Extensions.of(SITUATION, List.of(manifest))
                .resources(modules)
                .forEach(resource -> response.addResources(Any.pack(resource)));
        var fresh = folder.resolve(name + ".new");
        Files.write(fresh, response.setVersionInfo(manifest.name()).build().toByteArray());
        Files.move(fresh, file(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /// One connection on which requests are sent one after another.
    private static final class KeptConnection implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader reader;

        KeptConnection(String listener) throws IOException {
            socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), envoy.port(listener));
            socket.setSoTimeout(30_000);
            reader = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        }

        /// The head of the answer.
        List<String> get() throws IOException {
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: echo\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            var head = new java.util.ArrayList<String>();
            var length = 0;
            for (var line = reader.readLine(); line != null && !line.isEmpty(); line = reader.readLine()) {
                head.add(line);
                if (line.startsWith("content-length: ")) {
                    length = Integer.parseInt(line.substring("content-length: ".length()));
                }
            }
            for (var i = 0; i < length; i++) {
                var _ = reader.read();
            }
            assertThat(head).as("an answer on the same connection").isNotEmpty();
            return head;
        }

        int status() throws IOException {
            return Integer.parseInt(get().getFirst().split(" ", -1)[1]);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void givenAModuleThatCannotBeHad_thenItsStrategyDecides() throws Exception {
        try (var closed = new KeptConnection("closed");
                var open = new KeptConnection("open")) {
            assertThat(closed.status()).isEqualTo(403);
            assertThat(open.status()).isEqualTo(200);
        }
    }

    @Test
    void givenAModuleThatArrives_thenItRunsOnTheSameConnection() throws Exception {
        try (var connection = new KeptConnection("swapped")) {
            assertThat(connection.status()).isEqualTo(403);
            deliver("swapped", plugin("FAIL_CLOSE"), READY);
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(connection.status()).isEqualTo(418));
            deliver("swapped", plugin("FAIL_OPEN"), FAILED);
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(connection.status()).isEqualTo(200));
        }
        assertThat(envoy.stat("listener_manager.listener_modified")).isZero();
        assertThat(envoy.stat("http.swapped.downstream_cx_total")).isEqualTo(1);
    }

    @Test
    void givenAScript_thenItRuns_andIsSwappedWithoutClosing() throws Exception {
        try (var connection = new KeptConnection("lua")) {
            assertThat(connection.get()).contains("x-script: v1");
            deliver("lua", script("v2"), READY);
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(connection.get()).contains("x-script: v2"));
        }
    }
}
