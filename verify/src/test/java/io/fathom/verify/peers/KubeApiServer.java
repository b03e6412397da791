package io.fathom.verify.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/// A real API server with its store on ports of the loopback interface, and nothing else of Kubernetes: no controller
/// answers, so a cluster holds exactly what the test applies. Istio's and the Gateway API's kinds are there.
public final class KubeApiServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String TOKEN = "verify";
    private static final Pattern SEPARATOR = Pattern.compile("(?m)^---\\s*$");
    private static final Pattern DEFINITION_NAME =
            Pattern.compile("(?m)^kind: CustomResourceDefinition$[\\s\\S]*?^  name: \"?([a-z0-9.-]+)\"?$");

    private final Workspace workspace = new Workspace();
    private final KubeClient client;
    private final Path kubeconfig;

    /// Who may do what.
    public enum Rights {
        /// Anybody anything.
        ALL,
        /// What roles say; the administrator anything.
        BY_ROLE
    }

    private KubeApiServer(InstantSource clock, Rights rights) {
        try {
            var etcd = StockProgram.ETCD.require();
            var apiServer = StockProgram.KUBE_APISERVER.require();
            var definitions = StockProgram.requireDefinitions();
            var certificates = LoopbackCertificates.write(workspace.directory(), clock);
            var store = startStore(etcd);
            var server = URI.create("https://127.0.0.1:" + Workspace.freePort());
            var process = startServer(apiServer, server, store, certificates, rights);
            client = new KubeClient(server, TOKEN, certificates.trust());
            kubeconfig = writeKubeconfig(server, certificates);
            workspace.await("kube-apiserver", process, PATIENCE, client::ready);
            define(definitions);
        } catch (RuntimeException | Error e) {
            workspace.close();
            throw e;
        }
    }

    /// Starts and waits until it answers; skips the test when the programs are not there.
    public static KubeApiServer start(InstantSource clock) {
        return new KubeApiServer(clock, Rights.ALL);
    }

    /// The same with other rights.
    public static KubeApiServer start(InstantSource clock, Rights rights) {
        return new KubeApiServer(clock, rights);
    }

    public KubeClient client() {
        return client;
    }

    /// A file with all that a client needs to be its administrator.
    public Path kubeconfig() {
        return kubeconfig;
    }

    /// Where programs that belong to this cluster may run; they end with it.
    public Workspace workspace() {
        return workspace;
    }

    @Override
    public void close() {
        client.close();
        workspace.close();
    }

    private URI startStore(Path program) {
        var clients = URI.create("http://127.0.0.1:" + Workspace.freePort());
        var peers = "http://127.0.0.1:" + Workspace.freePort();
        var command = List.of(
                program.toString(),
                "--data-dir=" + workspace.directory().resolve("etcd"),
                "--listen-client-urls=" + clients,
                "--advertise-client-urls=" + clients,
                "--listen-peer-urls=" + peers,
                "--initial-advertise-peer-urls=" + peers,
                "--initial-cluster=default=" + peers,
                "--unsafe-no-fsync",
                "--log-level=warn");
        workspace.start("etcd", command, Map.of());
        return clients;
    }

    private Process startServer(Path program, URI server, URI store, LoopbackCertificates certificates, Rights rights) {
        var tokens = write("tokens.csv", TOKEN + ",admin,admin,\"system:masters\"\n");
        var command = List.of(
                program.toString(),
                "--etcd-servers=" + store,
                "--bind-address=127.0.0.1",
                "--secure-port=" + server.getPort(),
                // The address that the API server publishes for itself must not be a loopback one; nobody dials it.
                "--advertise-address=172.18.0.2",
                "--service-cluster-ip-range=10.96.0.0/16,fd20::/112",
                "--authorization-mode=" + (rights == Rights.ALL ? "AlwaysAllow" : "RBAC"),
                "--token-auth-file=" + tokens,
                "--cert-dir=" + workspace.directory().resolve("certificates"),
                "--tls-cert-file=" + certificates.certificate(),
                "--tls-private-key-file=" + certificates.key(),
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-account-key-file=" + certificates.tokenKey(),
                "--service-account-signing-key-file=" + certificates.tokenKey(),
                "--disable-admission-plugins=ServiceAccount",
                "--max-mutating-requests-inflight=0",
                "--max-requests-inflight=0",
                "--enable-priority-and-fairness=false");
        return workspace.start("kube-apiserver", command, Map.of());
    }

    private void define(Path folder) {
        var names = new ArrayList<String>();
        try (Stream<Path> files = Files.list(folder)) {
            for (var file : files.sorted().toList()) {
                for (var document :
                        SEPARATOR.splitAsStream(Files.readString(file)).toList()) {
                    var name = DEFINITION_NAME.matcher(document);
                    if (name.find()) {
                        var path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + name.group(1);
                        client.applyAt(path, document);
                        names.add(name.group(1));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (names.isEmpty()) {
            throw new IllegalStateException("no definitions in " + folder);
        }
        Awaitility.await("the custom kinds")
                .atMost(PATIENCE)
                .until(() -> Stream.of(KubeKind.values()).allMatch(kind -> client.exists(kind.listPath())));
    }

    private Path writeKubeconfig(URI server, LoopbackCertificates certificates) {
        return write("kubeconfig", """
                apiVersion: v1
                kind: Config
                clusters:
                - {name: verify, cluster: {server: '%s', certificate-authority: '%s'}}
                users:
                - {name: verify, user: {token: %s}}
                contexts:
                - {name: verify, context: {cluster: verify, user: verify}}
                current-context: verify
                """.formatted(server, certificates.certificate(), TOKEN));
    }

    private Path write(String name, String text) {
        try {
            return Files.writeString(workspace.directory().resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
