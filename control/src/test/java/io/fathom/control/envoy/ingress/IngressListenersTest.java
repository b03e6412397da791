// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap.StaticResources;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.fathom.control.envoy.StockEnvoy;
import io.fathom.control.envoy.cluster.SecretSource;
import io.fathom.control.envoy.ingress.EdgeCa.Leaf;
import io.fathom.control.envoy.ingress.IngressServer.Plaintext;
import io.fathom.control.envoy.ingress.IngressServer.ServerOrigin;
import io.fathom.control.envoy.ingress.IngressServer.ServerTraffic;
import io.fathom.control.envoy.ingress.ServerSecurity.Authorities;
import io.fathom.control.envoy.ingress.ServerSecurity.Clients;
import io.fathom.control.envoy.ingress.ServerSecurity.Demand;
import io.fathom.control.envoy.sds.SecretName;
import io.fathom.control.envoy.sds.SecretResources;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.core.CredentialManifest.KeyPair;
import io.fathom.wire.kube.core.SecretText;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.meshconfig.MeshTraffic.PathNormalization;
import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// One stock Envoy with all kinds of servers.
@Tag("slow")
class IngressListenersTest {
    private static final ObjectKey GATEWAY = new ObjectKey("c1", "edge", "gw");
    private static final EdgeCa CA = new EdgeCa();
    private static final EdgeCa STRANGERS = new EdgeCa();
    private static final Leaf CLIENT = CA.leaf("client.example");

    @TempDir
    static Path folder;

    private static HttpServer plainBackend;
    private static HttpsServer secureBackend;
    private static StockEnvoy envoy;

    @BeforeAll
    static void start() throws IOException {
        plainBackend = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        answer(plainBackend, "plain");
        secureBackend = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        secureBackend.setHttpsConfigurator(new HttpsConfigurator(CA.showing(CA.leaf("through.example"))));
        answer(secureBackend, "secure");

        var disk = new OnDisk(folder);
        for (var host : List.of(
                "a.example", "b.example", "mutual.example", "optional.example", "looked.example", "ended.example")) {
            disk.put("kubernetes-gateway://edge/" + host, secret(host, SecretName.Half.KEY_PAIR));
        }
        disk.put("kubernetes-gateway://edge/clients-cacert", secret("clients", SecretName.Half.AUTHORITIES));
        var servers = List.of(
                server("http", 80, ServerTraffic.HTTP, List.of("*"), Optional.empty()),
                server("void", 81, ServerTraffic.HTTP, List.of("*"), Optional.empty()),
                https("a.example", Clients.ANYBODY),
                https("b.example", Clients.ANYBODY),
                https("mutual.example", clients(Demand.REQUIRED)),
                https("optional.example", clients(Demand.IF_SHOWN)),
                https("looked.example", clients(Demand.LOOKED_AT)),
                server("pass", 443, ServerTraffic.PASSTHROUGH, List.of("*.example"), Optional.empty()),
                server("ended", 443, ServerTraffic.TLS, List.of("ended.example"), Optional.of(simple("ended.example"))),
                server("again", 443, ServerTraffic.PASSTHROUGH, List.of("a.example"), Optional.empty()),
                server("tcp", 9000, ServerTraffic.TCP, List.of("*"), Optional.empty()));
        var proxy = new IngressProxy(
                new ProxyGroup(ProxyRole.INGRESS, GATEWAY, Map.of(), ""),
                List.of("127.0.0.1"),
                List.of("cluster.local"),
                SecretSource.COMPANION,
                Topology.DIRECT,
                PathNormalization.BASE,
                IngressProxy.Ports.ALL,
                KeyExchange.ANY);
        var listeners = new IngressListeners(proxy, ChainParts.NONE);
        var resources = StaticResources.newBuilder()
                .addClusters(cluster("plain", plainBackend.getAddress().getPort()))
                .addClusters(cluster("secure", secureBackend.getAddress().getPort()));
        for (var plan : PortPlan.of(servers).plans()) {
            plan.routeTables().forEach((name, _) -> {
                var hosts = name.equals("http.81") ? List.<VirtualHost>of() : List.of(everything());
                disk.put(name, IngressListeners.routes(name, plan.port(), hosts));
            });
            resources.addListeners(disk.rewired(
                    listeners.listener(plan, IngressListenersTest::streams).orElseThrow()));
        }
        envoy = StockEnvoy.start(
                folder,
                Bootstrap.newBuilder()
                        .setNode(Node.newBuilder().setId("router").setCluster("edge"))
                        .setStaticResources(resources)
                        .build());
    }

    @AfterAll
    static void stop() {
        if (envoy != null) {
            envoy.close();
        }
        plainBackend.stop(0);
        secureBackend.stop(0);
    }

    private static void answer(HttpServer server, String text) {
        server.createContext("/", exchange -> {
            try (exchange) {
                var certificate = exchange.getRequestHeaders().getFirst("x-forwarded-client-cert");
                var bytes = (text + " " + certificate).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        });
        server.start();
    }

    private static IngressServer server(
            String name, int port, ServerTraffic traffic, List<String> hosts, Optional<ServerSecurity> security) {
        return new IngressServer(
                GATEWAY, ServerOrigin.GATEWAY_API, name, "", port, traffic, hosts, security, Plaintext.SERVED);
    }

    private static IngressServer https(String host, Clients clients) {
        return server(
                host,
                443,
                ServerTraffic.HTTPS,
                List.of(host),
                Optional.of(simple(host).withClients(clients)));
    }

    private static ServerSecurity simple(String host) {
        return ServerSecurity.simple(List.of("kubernetes-gateway://edge/" + host));
    }

    private static Clients clients(Demand demand) {
        return Clients.signedBy(new Authorities.Named("kubernetes-gateway://edge/clients-cacert"), demand);
    }

    private static List<StreamRoute> streams(IngressServer server) {
        return switch (server.name()) {
            case "tcp" -> List.of(new StreamRoute("tcp", List.of(), List.of(new StreamRoute.Share("plain", 1))));
            case "ended" ->
                List.of(
                        new StreamRoute("ended", List.of("ended.example"), List.of(new StreamRoute.Share("plain", 1))),
                        new StreamRoute("rest", List.of(), List.of(new StreamRoute.Share("secure", 1))));
            case "pass" ->
                List.of(
                        new StreamRoute(
                                "through", List.of("through.example"), List.of(new StreamRoute.Share("secure", 1))),
                        new StreamRoute("gone", List.of("gone.example"), List.of()));
            default -> List.of();
        };
    }

    private static com.google.protobuf.Message secret(String name, SecretName.Half half) {
        var leaf = CA.leaf(name);
        var object = new ObjectKey("c1", "edge", name);
        var manifest = new CredentialManifest(
                new Metadata(object, "", Map.of(), Map.of(), Instant.EPOCH, Metadata.Lifecycle.ACTIVE),
                CredentialManifest.TLS,
                Optional.of(new KeyPair(new SecretText(leaf.chainPem()), new SecretText(leaf.keyPem()))),
                Optional.of(new SecretText(CA.pem())),
                Optional.empty());
        var wanted = new SecretName(SecretName.Store.GRANTED_SECRET, "edge", name, half);
        return ((SecretResources.SecretLookup.Found) SecretResources.of(wanted.toString(), wanted, manifest)).secret();
    }

    private static VirtualHost everything() {
        return VirtualHost.newBuilder()
                .setName("*")
                .addDomains("*")
                .addRoutes(Route.newBuilder()
                        .setMatch(RouteMatch.newBuilder().setPrefix("/"))
                        .setRoute(RouteAction.newBuilder().setCluster("plain")))
                .build();
    }

    private static Cluster cluster(String name, int port) {
        var address = Address.newBuilder()
                .setSocketAddress(
                        SocketAddress.newBuilder().setAddress("127.0.0.1").setPortValue(port));
        var endpoint = LbEndpoint.newBuilder().setEndpoint(Endpoint.newBuilder().setAddress(address));
        return Cluster.newBuilder()
                .setName(name)
                .setType(Cluster.DiscoveryType.STATIC)
                .setLoadAssignment(ClusterLoadAssignment.newBuilder()
                        .setClusterName(name)
                        .addEndpoints(LocalityLbEndpoints.newBuilder().addLbEndpoints(endpoint)))
                .build();
    }

    private static int port(int number) throws IOException {
        return envoy.port("127.0.0.1_" + number);
    }

    @Test
    void givenARouteTable_thenRequestsAreRouted() throws IOException {
        var answer = IngressTraffic.plain(port(80), "any.example");
        assertThat(answer.status()).isEqualTo("HTTP/1.1 200 OK");
        assertThat(answer.text()).contains("server: istio-envoy").contains("plain null");
    }

    @Test
    void givenNoRoutes_thenEveryRequestGets404() throws IOException {
        assertThat(IngressTraffic.plain(port(81), "any.example").status()).isEqualTo("HTTP/1.1 404 Not Found");
    }

    @Test
    void givenServersWithCertificates_thenTheServerNameChooses() throws IOException {
        assertThat(IngressTraffic.secure(port(443), "a.example", CA.trusting()).subject())
                .isEqualTo("CN=a.example");
        assertThat(IngressTraffic.secure(port(443), "b.example", CA.trusting()).subject())
                .isEqualTo("CN=b.example");
    }

    @Test
    void givenANameThatNobodyHas_thenTheConnectionIsClosed() {
        assertThatThrownBy(() -> IngressTraffic.secure(port(443), "c.elsewhere", CA.trusting()))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> IngressTraffic.secure(port(443), "gone.example", CA.trusting()))
                .isInstanceOf(IOException.class);
    }

    @Test
    void givenPassthrough_thenTheBackendEndsTls() throws IOException {
        var answer = IngressTraffic.secure(port(443), "through.example", CA.trusting());
        assertThat(answer.subject()).isEqualTo("CN=through.example");
        assertThat(answer.text()).contains("secure null");
    }

    @Test
    void givenTlsThatEndsHereBesidePassthrough_thenTheServerNameTellsThemApart() throws IOException {
        var answer = IngressTraffic.secure(port(443), "ended.example", CA.trusting());
        assertThat(answer.subject()).isEqualTo("CN=ended.example");
        assertThat(answer.text()).contains("plain null");
        assertThat(IngressTraffic.secure(port(443), "through.example", CA.trusting())
                        .subject())
                .isEqualTo("CN=through.example");
    }

    @Test
    void givenTheSameNameTwice_thenTheFirstServerKeepsIt() throws IOException {
        // the listener would have been refused, were there two chains for it
        assertThat(IngressTraffic.secure(port(443), "a.example", CA.trusting()).text())
                .contains("plain null");
    }

    @Test
    void givenTcp_thenConnectionsAreHandedOn() throws IOException {
        assertThat(IngressTraffic.plain(port(9000), "x").text()).contains("plain null");
    }

    @Test
    void givenClientsThatMustProveThemselves_thenOthersAreTurnedAway() throws IOException {
        assertThat(IngressTraffic.secure(port(443), "mutual.example", CA.showing(CLIENT))
                        .text())
                .contains("plain ")
                .contains("DNS=client.example");
        assertThatThrownBy(() -> IngressTraffic.secure(port(443), "mutual.example", CA.trusting()))
                .isInstanceOf(IOException.class);
    }

    @Test
    void givenClientsThatMayProveThemselves_thenOnlyWrongProofIsTurnedAway() throws IOException {
        assertThat(IngressTraffic.secure(port(443), "optional.example", CA.showing(CLIENT))
                        .text())
                .contains("DNS=client.example");
        assertThat(IngressTraffic.secure(port(443), "optional.example", CA.trusting())
                        .text())
                .contains("plain null");
        var stranger = STRANGERS.leaf("client.example");
        assertThatThrownBy(() -> IngressTraffic.secure(port(443), "optional.example", CA.showing(stranger)))
                .isInstanceOf(IOException.class);
        assertThat(IngressTraffic.secure(port(443), "looked.example", CA.showing(stranger))
                        .text())
                .contains("DNS=client.example");
    }
}
