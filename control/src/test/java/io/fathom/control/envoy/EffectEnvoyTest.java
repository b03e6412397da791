// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.sun.net.httpserver.HttpServer;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.envoy.ingress.OnDisk;
import io.fathom.control.gateway.ListenerVerdict;
import io.fathom.control.gateway.RouteAttachPoint;
import io.fathom.control.gateway.RouteVerdict;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.xds.store.ResourceStore;
import io.fathom.wire.xds.store.XdsType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A sample of what [EffectPropertyTest] asks, with a stock Envoy that runs the configuration: the answer tells whose
/// backend it was.
@Tag("slow")
class EffectEnvoyTest {
    private static final int TIMEOUT_MILLIS = 10_000;

    private final AtomicReference<@Nullable EnvoyMesh> made = new AtomicReference<>();
    private final AmbientMesh mesh = new AmbientMesh(
            AmbientConfig.defaults(), flow -> made.set(new EnvoyMesh(flow, InstantSource.fixed(Instant.EPOCH))));
    private final EnvoyMesh envoys = requireNonNull(made.get());
    private final List<HttpServer> servers = new ArrayList<>();

    @AfterEach
    void stop() {
        servers.forEach(server -> server.stop(0));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 4, 7, 11, 17})
    void givenAStockEnvoy_thenRequestsGoWhereTheStatusSaysSo(long seed, @TempDir Path folder) throws Exception {
        StockEnvoy.program();
        mesh.apply(RandomGateways.of(seed, RandomGateways.reader()).stream()
                .<ManifestChange>map(ManifestChange.Put::new)
                .toList());
        var store = envoys.feed(EffectPropertyTest.node("router", "edge", "gw")).orElseThrow();
        var cut = mesh.cut();
        var gateway = cut.of(mesh.listeners().gateways())
                .find(new ObjectKey("Kubernetes", "edge", "gw"))
                .orElseThrow();
        try (var envoy = StockEnvoy.start(folder, bootstrap(folder, store))) {
            var routes = new ArrayList<RouteVerdict>();
            cut.of(mesh.routes()).forEach((_, verdict) -> routes.add(verdict));
            for (var listener : gateway.listeners().toList()) {
                for (var verdict : routes) {
                    check(envoy, listener, verdict);
                }
            }
        }
    }

    private void check(StockEnvoy envoy, ListenerVerdict listener, RouteVerdict verdict) throws IOException {
        var place = new RouteAttachPoint.AtListener(listener.key());
        var route = verdict.route();
        var isPassed = listener.listener().protocol().equals("TLS")
                && listener.listener().tls().filter(tls -> tls.terminates()).isEmpty();
        if (!verdict.effects().containsKey(place) || isPassed) {
            return; // the backends here speak no TLS; what leads nowhere is asked of the configuration
        }
        var isGood = verdict.parents().stream()
                .filter(parent -> parent.effects().contains(place))
                .allMatch(parent -> parent.resolved().isGood());
        for (var pattern : verdict.hosts(place)) {
            var host = EffectPropertyTest.concrete(pattern);
            var port = envoy.port("0.0.0.0_" + listener.listener().port());
            var isTls = listener.listener().tls().isPresent();
            // Right after its start Envoy may still be reading certificates.
            Awaitility.await()
                    .untilAsserted(() -> assertThat(answer(port, isTls ? host : "", host, "/" + route.name())
                                    .contains("b-" + route.name()))
                            .as("%s at %s for %s", route.key(), listener, host)
                            .isEqualTo(isGood));
        }
    }

    private static String answer(int port, String serverName, String host, String path)
            throws IOException, GeneralSecurityException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            var channel = serverName.isEmpty() ? socket : secured(socket, serverName);
            channel.getOutputStream()
                    .write("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                            .formatted(path, host)
                            .getBytes(StandardCharsets.US_ASCII));
            return everything(channel);
        } catch (SocketException _) {
            return ""; // it leads nowhere
        }
    }

    /// Also when the end is not a polite one.
    private static String everything(Socket channel) throws IOException {
        var text = new StringBuilder();
        try {
            for (var next = channel.getInputStream().read();
                    next >= 0;
                    next = channel.getInputStream().read()) {
                text.append((char) next);
            }
        } catch (SocketException _) {
            // what came before it counts
        }
        return text.toString();
    }

    private static SSLSocket secured(Socket socket, String serverName) throws IOException, GeneralSecurityException {
        var context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Anybody()}, null);
        var secured = (SSLSocket) context.getSocketFactory().createSocket(socket, serverName, socket.getPort(), true);
        var parameters = secured.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(serverName)));
        secured.setSSLParameters(parameters);
        return secured;
    }

    private Bootstrap bootstrap(Path folder, ResourceStore store) throws IOException {
        var disk = new OnDisk(folder);
        resources(store, XdsType.ROUTES, RouteConfiguration.parser()).forEach(disk::put);
        resources(store, XdsType.SECRET, Secret.parser()).forEach(disk::put);
        var result =
                Bootstrap.newBuilder().setNode(Node.newBuilder().setId("gw").setCluster("gw"));
        for (var listener :
                resources(store, XdsType.LISTENER, Listener.parser()).values()) {
            if (listener.getAddress().hasSocketAddress()) {
                var local = listener.toBuilder();
                local.getAddressBuilder().getSocketAddressBuilder().setAddress("127.0.0.1");
                result.getStaticResourcesBuilder().addListeners(disk.rewired(local.build()));
            }
        }
        for (var name : resources(store, XdsType.CLUSTER, Cluster.parser()).keySet()) {
            if (name.startsWith("outbound|")) {
                result.getStaticResourcesBuilder().addClusters(cluster(name, backend(name)));
            }
        }
        return result.build();
    }

    private static <M extends Message> Map<String, M> resources(ResourceStore store, XdsType type, Parser<M> parser) {
        var result = new HashMap<String, M>();
        store.head().resources(type).forEach((name, resource) -> {
            try {
                result.put(name, parser.parseFrom(resource.body()));
            } catch (InvalidProtocolBufferException e) {
                throw new AssertionError(e);
            }
        });
        return result;
    }

    /// Says its name.
    private int backend(String name) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            var body = name.getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, body.length);
            try (var out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        server.start();
        servers.add(server);
        return server.getAddress().getPort();
    }

    private static Cluster cluster(String name, int port) {
        var address = Address.newBuilder()
                .setSocketAddress(
                        SocketAddress.newBuilder().setAddress("127.0.0.1").setPortValue(port));
        var endpoint = LbEndpoint.newBuilder().setEndpoint(Endpoint.newBuilder().setAddress(address));
        return Cluster.newBuilder()
                .setName(name)
                .setLoadAssignment(ClusterLoadAssignment.newBuilder()
                        .setClusterName(name)
                        .addEndpoints(LocalityLbEndpoints.newBuilder().addLbEndpoints(endpoint)))
                .build();
    }

    /// The certificates here say nothing about hosts.
    private static final class Anybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
