// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fathom.app.fathomd.Fathomd;
import io.fathom.app.fathomd.FathomdConfig;
import io.fathom.wire.http.HttpCall;
import io.fathom.wire.http.HttpLink;
import io.fathom.wire.pki.Pem;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.awaitility.Awaitility;

/// A control plane in this process, and the pod of a waypoint: the companion in this process, a real Envoy beside it.
/// Envoy has two listeners more than it would have: one that shows its certificate, one that counts requests.
final class ProxyStage implements AutoCloseable {
    /// An answer of one of the ports.
    record Answer(int status, String body) {}

    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata:
              name: waypoint-1
              namespace: shop
              uid: u1
              labels: {gateway.istio.io/managed: istio.io-mesh-controller, gateway.networking.k8s.io/gateway-name: waypoint}
            spec: {nodeName: here, serviceAccountName: waypoint, containers: [{name: main, image: none}]}
            status: {phase: Running, podIP: 127.0.0.1}
            """;

    private Fathomd fathomd;
    private final Proxy proxy;
    private final Path folder;
    private final List<Integer> ports;

    private ProxyStage(Fathomd fathomd, Proxy proxy, Path folder, List<Integer> ports) {
        this.fathomd = fathomd;
        this.proxy = proxy;
        this.folder = folder;
        this.ports = ports;
    }

    /// The pod's token is not good yet, and its certificates live for seconds.
    static ProxyStage start(Path folder) throws IOException {
        return start(folder, Duration.ofSeconds(8));
    }

    /// The pod's token is not good yet.
    static ProxyStage start(Path folder, Duration certificates) throws IOException {
        return start(folder, certificates, "");
    }

    /// The same with a `COMPLIANCE_POLICY` for both sides.
    static ProxyStage start(Path folder, Duration certificates, String compliance) throws IOException {
        var envoy = envoy();
        Files.createDirectories(folder.resolve("manifests"));
        Files.createDirectories(folder.resolve("tokens"));
        Files.writeString(folder.resolve("manifests/pod.yaml"), POD);
        Files.writeString(folder.resolve("token"), "not a token");
        Files.createDirectories(folder.resolve("info"));
        Files.writeString(folder.resolve("info/annotations"), "sidecar.istio.io/statsEvictionInterval=\"4s\"\n");
        var ports = freePorts(7);
        var fathomd = controlPlane(folder, ports.get(6), compliance);
        try {
            var extra = Files.writeString(folder.resolve("extra.yaml"), listeners(ports.get(4), ports.get(5)));
            var program = Files.writeString(
                    folder.resolve("envoy"),
                    "#!/bin/sh\nexec '" + envoy + "' \"$@\" --config-yaml \"$(cat '" + extra + "')\" >'"
                            + folder.resolve("envoy.log") + "' 2>&1\n");
            if (!program.toFile().setExecutable(true)) {
                throw new IOException(program + " cannot be made executable");
            }
            var environment = environment(folder, program, certificates, ports);
            environment.put("COMPLIANCE_POLICY", compliance);
            var config =
                    ProxyConfig.parse(new String[] {"waypoint", "--domain", "shop.svc.cluster.local"}, environment);
            return new ProxyStage(fathomd, Proxy.start(config), folder, ports);
        } catch (IOException | RuntimeException e) {
            fathomd.close();
            throw e;
        }
    }

    /// A companion in a process of its own, with a token that is no good.
    static Process process(Path folder, List<Integer> ports) throws IOException {
        Files.writeString(folder.resolve("token"), "not a token");
        var builder = new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                ProxyMain.class.getName(),
                "proxy",
                "waypoint");
        builder.environment().putAll(environment(folder, envoy(), Duration.ofHours(1), ports));
        return builder.redirectErrorStream(true)
                .redirectOutput(folder.resolve("companion.log").toFile())
                .start();
    }

    /// Its root is its own and lives as long as it.
    static Fathomd controlPlane(Path folder, int port) {
        return controlPlane(folder, port, "");
    }

    private static Fathomd controlPlane(Path folder, int port, String compliance) {
        return Fathomd.start(FathomdConfig.parse(
                new String[] {
                    "--manifests",
                    folder.resolve("manifests").toString(),
                    "--listen-address",
                    "127.0.0.1",
                    "--plaintext-port",
                    "0",
                    "--tls-port",
                    String.valueOf(port),
                    "--http-port",
                    "0",
                    "--root-cert-file",
                    folder.resolve("root.pem").toString(),
                },
                Map.of("FATHOM_TOKENS_DIR", folder.resolve("tokens").toString(), "COMPLIANCE_POLICY", compliance)));
    }

    /// Another control plane at the same address, with another root; the pod gets its token.
    void replaceControlPlane() throws IOException {
        fathomd.close();
        Files.delete(folder.resolve("tokens/shop/waypoint-1/istio-token"));
        fathomd = controlPlane(folder, ports.get(6));
        giveToken();
    }

    /// The root of the control plane that runs now.
    X509Certificate root() throws IOException {
        return Pem.certificates(Files.readString(folder.resolve("root.pem"))).getFirst();
    }

    private static Map<String, String> environment(
            Path folder, Path envoy, Duration certificates, List<Integer> ports) {
        var environment = new HashMap<String, String>();
        environment.put("POD_NAME", "waypoint-1");
        environment.put("POD_NAMESPACE", "shop");
        environment.put("SERVICE_ACCOUNT", "waypoint");
        environment.put("INSTANCE_IP", "127.0.0.1");
        environment.put("XDS_ROOT_CA", folder.resolve("root.pem").toString());
        environment.put("CA_ROOT_CA", folder.resolve("root.pem").toString());
        environment.put("AUTH_TOKEN", folder.resolve("token").toString());
        environment.put("SECRET_TTL", certificates.toSeconds() + "s");
        environment.put("FATHOM_ENVOY", envoy.toString());
        environment.put("FATHOM_SECRETS_SOCKET", folder.resolve("s").toString());
        environment.put("FATHOM_POD_INFO", folder.resolve("info").toString());
        environment.put("TERMINATION_DRAIN_DURATION_SECONDS", "1");
        environment.put("ENVOY_STATUS_PORT", String.valueOf(ports.get(2)));
        environment.put("ENVOY_PROMETHEUS_PORT", String.valueOf(ports.get(3)));
        environment.put(
                "PROXY_CONFIG", """
                {"discoveryAddress":"localhost:%d","proxyAdminPort":%d,"statusPort":%d,"configPath":"%s","concurrency":1}
                """.formatted(ports.get(6), ports.get(0), ports.get(1), folder.resolve("proxy")));
        return environment;
    }

    private static String listeners(int secure, int plain) {
        return """
                static_resources:
                  listeners:
                  - name: plain
                    address: {socket_address: {address: 127.0.0.1, port_value: %d}}
                    filter_chains:
                    - filters:
                      - name: envoy.filters.network.http_connection_manager
                        typed_config:
                          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                          stat_prefix: counted
                          route_config:
                            virtual_hosts:
                            - name: a
                              domains: ["*"]
                              routes: [{match: {prefix: /}, direct_response: {status: 200}}]
                          http_filters:
                          - name: envoy.filters.http.router
                            typed_config:
                              "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
                          access_log:
                          - name: envoy.access_loggers.stats
                            typed_config:
                              "@type": type.googleapis.com/envoy.extensions.access_loggers.stats.v3.Config
                              stats_scope: {prefix: istio, enable_eviction: true}
                              counters:
                              - stat: {name: requests_total, tags: [{name: reporter, value_format: waypoint}]}
                                value_fixed: 1
                """.formatted(plain) + ServedCertificate.listener(secure);
    }

    /// Where Envoy is; the test is skipped, and says why, when it is not there.
    static Path envoy() {
        var cache = Optional.ofNullable(System.getenv("FATHOM_CACHE"))
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache", "fathom"));
        var path = cache.resolve("peers", "bin", "envoy");
        assumeTrue(Files.isExecutable(path), () -> "skipped: no " + path + "; run verify/peers/install envoy");
        return path;
    }

    /// The pod's token becomes the one that the control plane gives out.
    void giveToken() throws IOException {
        var token = folder.resolve("tokens/shop/waypoint-1/istio-token");
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(token));
        var draft = Files.copy(token, folder.resolve("token.new"), StandardCopyOption.REPLACE_EXISTING);
        Files.move(draft, folder.resolve("token"), StandardCopyOption.ATOMIC_MOVE);
    }

    Proxy proxy() {
        return proxy;
    }

    int agentPort() {
        return ports.get(1);
    }

    int statusPort() {
        return ports.get(2);
    }

    Answer agent(String path) throws IOException {
        return get(agentPort(), path);
    }

    Answer status(String path) throws IOException {
        return get(statusPort(), path);
    }

    Answer prometheus(String path) throws IOException {
        return get(ports.get(3), path);
    }

    Answer plain(String path) throws IOException {
        return get(ports.get(5), path);
    }

    String admin(String path) throws IOException {
        return get(ports.get(0), path).body();
    }

    void adminPost(String path) throws IOException {
        new EnvoyAdmin(ports.get(0)).post(path);
    }

    /// What the control plane says about its clients.
    String connectedProxies() throws IOException {
        return get(fathomd.httpPort(), "/debug/connections").body();
    }

    private static Answer get(int port, String path) throws IOException {
        try (var socket = new Socket()) {
            socket.setSoTimeout(10_000);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 10_000);
            var link = new HttpLink(socket.getInputStream(), socket.getOutputStream(), socket);
            var answer = link.call(new HttpCall("GET", path, "localhost", Map.of("connection", "close"), ""));
            return new Answer(answer.status(), answer.text(1 << 22));
        }
    }

    /// What Envoy shows to its clients now.
    X509Certificate servedCertificate() throws IOException {
        return ServedCertificate.at(ports.get(4));
    }

    /// Ports that nobody has now, and that the kernel gives to nobody by itself.
    static List<Integer> freePorts(int count) {
        var random = new SplittableRandom();
        var free = new LinkedHashSet<Integer>();
        while (free.size() < count) {
            var port = random.nextInt(20_000, 32_000);
            try (var _ = new ServerSocket(port)) {
                free.add(port);
            } catch (IOException _) {
                // somebody has it
            }
        }
        return List.copyOf(free);
    }

    @Override
    public void close() {
        proxy.close();
        fathomd.close();
    }
}
