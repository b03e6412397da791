package io.fathom.verify.envoy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.fathom.app.Parts;
import io.fathom.model.mesh.Identity;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.peers.Workspace;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.TlsIdentity;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManagerFactory;

/// Our control plane on a folder of manifests, a stock Envoy as the gateway `edge/gw` in a network namespace, and all
/// kinds of backends, played by this process.
final class IngressLab implements AutoCloseable {
    static final Identity GATEWAY = new Identity("cluster.local", "edge", "gw-istio");

    private final Workspace workspace = new Workspace();
    private final LabLink link = new LabLink();
    private final LabAuthority authority;
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final Path manifests;
    private final SecretServer secrets;
    private final RunningFathomd fathomd;

    IngressLab() throws IOException {
        this(new LabAuthority(), Map.of());
    }

    /// @param more settings of the control plane
    IngressLab(LabAuthority authority, Map<String, String> more) throws IOException {
        this.authority = authority;
        manifests = Files.createDirectories(workspace.directory().resolve("manifests"));
        secrets = new SecretServer(link.host(), authority.of(GATEWAY));
        var plugged = authority.plug(workspace.directory().resolve("ca"));
        write("namespaces", """
                {apiVersion: v1, kind: Namespace, metadata: {name: edge}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: outside}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {istio.io/dataplane-mode: ambient}}}
                """);
        pod("edge", "gw-1", link.proxy(), "{gateway.networking.k8s.io/gateway-name: gw}", "gw-istio", "{}");
        var settings = new HashMap<>(more);
        settings.put("ROOT_CA_DIR", plugged.toString());
        fathomd = RunningFathomd.on(manifests, settings);
    }

    /// Writes or replaces a manifest.
    void write(String name, String manifest) {
        try {
            Files.writeString(manifests.resolve(name + ".yaml"), manifest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A service whose pods have the label `app` with its name.
    void service(String namespace, String name, int vip, String labels, String port) {
        write("service-" + name, """
                apiVersion: v1
                kind: Service
                metadata: {name: %2$s, namespace: %1$s, labels: %4$s}
                spec: {clusterIP: %3$s, selector: {app: %2$s}, ports: [%5$s]}
                """.formatted(namespace, name, link.virtual(vip), labels, port));
    }

    void pod(String namespace, String name, String ip, String labels, String account, String annotations) {
        pod(namespace, name, ip, labels, account, annotations, "True");
    }

    void pod(
            String namespace, String name, String ip, String labels, String account, String annotations, String ready) {
        write("pod-" + name, """
                apiVersion: v1
                kind: Pod
                metadata: {name: %2$s, namespace: %1$s, labels: %4$s, annotations: %6$s}
                spec: {nodeName: node, serviceAccountName: %5$s, containers: [{name: main, image: none}]}
                status: {phase: Running, podIP: %3$s, conditions: [{type: Ready, status: "%7$s"}]}
                """.formatted(namespace, name, ip, labels, account, annotations, ready));
    }

    /// A pod of the mesh that answers.
    EchoPod meshed(String name, String account, String labels) {
        var pod = keep(
                new EchoPod(name, link.addPod(), new Identity("cluster.local", "shop", account), authority, loops));
        pod("shop", name, pod.ip(), labels, account, "{ambient.istio.io/redirection: enabled}");
        return pod;
    }

    /// A pod outside the mesh, on port 8080.
    void plain(String name, String labels) throws IOException {
        var ip = link.addPod();
        keep(answer(HttpServer.create(new InetSocketAddress(ip, 8080), 0), name));
        pod("outside", name, ip, labels, "server", "{}");
    }

    /// The same with TLS of its own, on port 8443.
    void encrypted(String name, String labels) throws IOException {
        var ip = link.addPod();
        keep(encrypted(name, ip, authority));
        pod("outside", name, ip, labels, "server", "{}");
    }

    /// What answers there.
    static AutoCloseable encrypted(String name, String ip, LabAuthority authority) throws IOException {
        var server = HttpsServer.create(new InetSocketAddress(ip, 8443), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context(named(name, authority))));
        return answer(server, name);
    }

    /// The same, for clients with a certificate only.
    void picky(String name, String labels) throws IOException {
        var ip = link.addPod();
        var server = HttpsServer.create(new InetSocketAddress(ip, 8443), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context(named(name))) {
            @Override
            public void configure(HttpsParameters parameters) {
                var asked = getSSLContext().getDefaultSSLParameters();
                asked.setNeedClientAuth(true);
                parameters.setSSLParameters(asked);
            }
        });
        keep(answer(server, name));
        pod("outside", name, ip, labels, "server", "{}");
    }

    /// A ConfigMap with the authority of all certificates here.
    void authorities(String namespace, String name) {
        write("authorities-" + name, """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: %s, namespace: %s}
                data:
                  ca.crt: |
                %s
                """.formatted(
                name, namespace, Pem.encode(named("any").roots()).indent(4).stripTrailing()));
    }

    /// What the certificate of that name says.
    String uri(String name) {
        return new Identity("outside", name, "host").uri();
    }

    private static Optional<String> caller(HttpExchange exchange) {
        try {
            return exchange instanceof HttpsExchange secure
                            && secure.getSSLSession().getPeerCertificates()[0] instanceof X509Certificate shown
                    ? Optional.of(shown.getSubjectAlternativeNames()
                            .iterator()
                            .next()
                            .get(1)
                            .toString())
                    : Optional.empty();
        } catch (GeneralSecurityException | SSLPeerUnverifiedException e) {
            return Optional.empty();
        }
    }

    private static AutoCloseable answer(HttpServer server, String name) {
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.getResponseHeaders().add("x-pod", name);
                caller(exchange).ifPresent(who -> exchange.getResponseHeaders().add("x-caller", who));
                var body = name.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
        return () -> server.stop(0);
    }

    /// A certificate that says that name.
    TlsIdentity named(String name) {
        return named(name, authority);
    }

    private static TlsIdentity named(String name, LabAuthority authority) {
        return authority.of(new Identity("outside", name, "host"));
    }

    /// A Secret of type TLS with it.
    void secret(String name) {
        var identity = named(name);
        write("secret-" + name, """
                apiVersion: v1
                kind: Secret
                type: kubernetes.io/tls
                metadata: {name: %s, namespace: edge}
                stringData:
                  tls.crt: |
                %s
                  tls.key: |
                %s
                """.formatted(
                        name,
                        Pem.encode(identity.chain()).indent(4).stripTrailing(),
                        Pem.encode(identity.key()).indent(4).stripTrailing()));
    }

    private static SSLContext context(TlsIdentity identity) {
        try {
            var own = KeyStore.getInstance("PKCS12");
            own.load(null, null);
            own.setKeyEntry("own", identity.key(), new char[0], identity.chain().toArray(X509Certificate[]::new));
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, new char[0]);
            var context = SSLContext.getInstance("TLS");
            var roots = KeyStore.getInstance("PKCS12");
            roots.load(null, null);
            roots.setCertificateEntry("root", identity.roots().getFirst());
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(roots);
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }

    /// Starts the gateway; it may not be ready yet. It talks to the control plane with TLS.
    LabEnvoy start() throws IOException {
        var tls = """
                transport_socket:
                  name: tls
                  typed_config:
                    "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
                    common_tls_context:
                      tls_certificate_sds_secret_configs:
                      - name: default
                        sds_config: &sds
                          resource_api_version: V3
                          api_config_source:
                            api_type: GRPC
                            transport_api_version: V3
                            grpc_services: [{envoy_grpc: {cluster_name: sds-grpc}}]
                      validation_context_sds_secret_config: {name: ROOTCA, sds_config: *sds}
                """;
        return LabEnvoy.start(
                workspace,
                link,
                "gw-1",
                new LabEnvoy.Start("router", "edge", "gw", "gw-istio", fathomd.tlsPort(), secrets.port(), tls));
    }

    /// The same, with what is between it and the control plane, or the control plane without TLS.
    LabEnvoy start(int xds) throws IOException {
        return LabEnvoy.start(
                workspace,
                link,
                "gw-1",
                new LabEnvoy.Start("router", "edge", "gw", "gw-istio", xds, secrets.port(), ""));
    }

    /// An address for something of the test's own.
    String address() {
        return link.addPod();
    }

    /// The address of this machine as the proxy sees it.
    String host() {
        return link.host();
    }

    OutsideClient client() {
        return new OutsideClient(link.proxy(), authority.of(GATEWAY));
    }

    String vip(int number) {
        return link.virtual(number);
    }

    RunningFathomd fathomd() {
        return fathomd;
    }

    <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    @Override
    public void close() {
        try (var all = new Parts()) { // closed in reverse, also when one fails
            all.keep(link);
            all.keep(secrets);
            all.keep(workspace);
            all.keep(fathomd);
            parts.reversed().forEach(all::keep);
        }
        var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
