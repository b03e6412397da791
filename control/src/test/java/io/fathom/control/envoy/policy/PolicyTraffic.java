// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import com.google.protobuf.Any;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.core.v3.ApiVersion;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.config.core.v3.PathConfigSource;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.control.envoy.StockEnvoy;
import io.fathom.control.envoy.policy.PolicySettings.CustomProviders;
import io.fathom.control.envoy.view.ClusterName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;

/// A stock Envoy with a listener for each case, issuers whose key sets are fetched, and authorizers that are asked.
final class PolicyTraffic implements AutoCloseable {
    private static final String PEER = "spiffe://mesh.example/ns/shop/sa/web";
    private static final List<String> HTTP = List.of(
            "identity",
            "addresses",
            "deny-first",
            "allow-none",
            "no-policy",
            "paths",
            "audit",
            "requests",
            "dry-run",
            "custom",
            "custom-grpc",
            "custom-unknown",
            "custom-down",
            "custom-two",
            "jwt",
            "claims",
            "two-issuers",
            "no-keys",
            "damaged-jwt",
            "damaged-target",
            "damaged-allow");
    private static final List<String> TCP =
            List.of("tcp-allow-http", "tcp-allow-other", "tcp-deny-http", "tcp-deny-other", "tcp-free", "tcp-custom");

    private final Map<String, String> documents = new ConcurrentHashMap<>();
    private final SystemTimeline timeline = new SystemTimeline();
    private final TestAuthorizer authorizer = new TestAuthorizer();
    private final HttpServer issuers =
            HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
    private final ServerSocket echo = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
    private final HttpClient client = HttpClient.newHttpClient();
    private final HttpJwksFetcher fetcher = new HttpJwksFetcher();
    private final PolicyWorld world;
    private final TestIssuer discovered;
    private final AutoCloseable fetching;
    private final Path folder;
    private final StockEnvoy envoy;
    private final Map<String, Integer> ports = new ConcurrentHashMap<>();

    PolicyTraffic(Path folder) throws IOException {
        this.folder = folder;
        var server = "http://127.0.0.1:" + issuers.getAddress().getPort();
        discovered = new TestIssuer(server + "/c", "c1");
        documents.put("/a", TrafficCases.A.keySet());
        documents.put("/c/.well-known/openid-configuration", "{\"jwks_uri\":\"" + server + "/c/keys\"}");
        documents.put("/c/keys", discovered.keySet());
        issuers.createContext("/", this::answer);
        issuers.start();
        Thread.ofVirtual().start(this::echo);

        world = new PolicyWorld(
                CustomProviders.ONE,
                TrafficCases.MESH,
                TrafficCases.IDENTITY,
                TrafficCases.ACTIONS,
                TrafficCases.PLACES,
                TrafficCases.TCP,
                TrafficCases.CUSTOM,
                TrafficCases.damaged(),
                TrafficCases.tokens(server));
        fetching = world.policies.fetchKeySets(fetcher, timeline, Duration.ofMillis(200));
        Awaitility.await("key sets")
                .atMost(Duration.ofSeconds(60))
                .until(() -> world.waypoint("two-issuers").toString().contains("c1")
                        && world.waypoint("jwt").toString().contains("a1"));
        envoy = StockEnvoy.start(folder, bootstrap());
    }

    private Bootstrap bootstrap() throws IOException {
        var listeners = new PolicyEnvoy();
        for (var name : HTTP) {
            listeners.http(name, world.waypoint(name));
        }
        listeners.http("edge", world.ingress("edge"));
        var several = new PolicyWorld(CustomProviders.SEVERAL, TrafficCases.MESH, TrafficCases.CUSTOM);
        listeners.http("custom-several", several.waypoint("custom-two"));
        for (var name : TCP) {
            listeners.tcp(name, world.waypointTcp(name), PEER, echo.getLocalPort());
        }
        listeners.cluster(ClusterName.outbound(9000, "", PolicyWorld.AUTHZ_HOST), authorizer.httpPort());
        listeners.cluster(ClusterName.outbound(9000, "", "down." + PolicyWorld.AUTHZ_HOST), 1); // nobody listens there
        listeners.http2Cluster(ClusterName.outbound(9001, "", "grpc." + PolicyWorld.AUTHZ_HOST), authorizer.grpcPort());
        publish();
        return Bootstrap.newBuilder()
                .setNode(Node.newBuilder().setId("policy").setCluster("policy"))
                .setStaticResources(listeners.resources())
                .setDynamicResources(Bootstrap.DynamicResources.newBuilder()
                        .setLdsConfig(ConfigSource.newBuilder()
                                .setResourceApiVersion(ApiVersion.V3)
                                .setPathConfigSource(PathConfigSource.newBuilder()
                                        .setPath(folder.resolve("listeners.pb").toString()))))
                .build();
    }

    /// Hands the listener `rotating` to Envoy as it is now.
    private void publish() throws IOException {
        var response = DiscoveryResponse.newBuilder()
                .addResources(Any.pack(PolicyEnvoy.httpListener("rotating", world.waypoint("rotating"))))
                .build();
        var next = folder.resolve("next.pb");
        Files.write(next, response.toByteArray());
        Files.move(next, folder.resolve("listeners.pb"), StandardCopyOption.ATOMIC_MOVE);
    }

    /// The issuer has other keys from now on; returns when Envoy has been told.
    void rotate(String keySet) throws IOException {
        documents.put("/rotating", keySet);
        Awaitility.await("the new key set")
                .atMost(Duration.ofSeconds(60))
                .until(() ->
                        world.http("rotating").toString().contains(keySet.substring(keySet.indexOf("\"x\"") + 5, 80)));
        publish();
    }

    TestIssuer discovered() {
        return discovered;
    }

    TestAuthorizer authorizer() {
        return authorizer;
    }

    long stat(String name) throws IOException {
        return envoy.stat(name);
    }

    int status(String listener, String path, String... headers) throws IOException, InterruptedException {
        return request(listener, path, "GET", headers).statusCode();
    }

    HttpResponse<String> request(String listener, String path, String method, String... headers)
            throws IOException, InterruptedException {
        return send(client, listener, path, method, headers);
    }

    /// From an address of our own.
    int statusFrom(String address, String listener, String path, String... headers)
            throws IOException, InterruptedException {
        try (var bound = HttpClient.newBuilder()
                .localAddress(InetAddress.ofLiteral(address))
                .build()) {
            return send(bound, listener, path, "GET", headers).statusCode();
        }
    }

    private HttpResponse<String> send(HttpClient sender, String listener, String path, String method, String... headers)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port(listener) + path))
                .version(HttpClient.Version.HTTP_1_1)
                .timeout(Duration.ofSeconds(60))
                .method(method, BodyPublishers.noBody());
        for (var i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return sender.send(request.build(), BodyHandlers.ofString());
    }

    /// Whether bytes sent come back.
    boolean echoes(String listener) throws IOException {
        try (var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port(listener))) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write("ping\n".getBytes(StandardCharsets.US_ASCII));
            return socket.getInputStream().read() == 'p';
        } catch (SocketException e) {
            return false; // reset
        }
    }

    private int port(String listener) {
        return ports.computeIfAbsent(listener, name -> {
            try {
                return envoy.port(name);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private void answer(HttpExchange exchange) throws IOException {
        var document = documents.get(exchange.getRequestURI().getPath());
        if (document == null) {
            exchange.sendResponseHeaders(404, -1);
        } else {
            var bytes = document.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
        exchange.close();
    }

    private void echo() {
        while (!echo.isClosed()) {
            try {
                var socket = echo.accept();
                Thread.ofVirtual().start(() -> {
                    try (socket) {
                        socket.getInputStream().transferTo(socket.getOutputStream());
                    } catch (IOException e) {
                        // the client is gone
                    }
                });
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    @Override
    public void close() throws IOException {
        envoy.close();
        try {
            fetching.close();
        } catch (Exception e) {
            throw new IOException(e);
        }
        timeline.close();
        fetcher.close();
        authorizer.close();
        issuers.stop(0);
        echo.close();
        client.close();
    }
}
