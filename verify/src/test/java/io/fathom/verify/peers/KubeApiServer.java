// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
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
    private static final String SERVICES = "10.96.0.0/16,fd00:10:96::/112";
    private static final Pattern SEPARATOR = Pattern.compile("(?m)^---\\s*$");
    private static final Pattern DEFINITION_NAME =
            Pattern.compile("(?m)^kind: CustomResourceDefinition$[\\s\\S]*?^  name: \"?([a-z0-9.-]+)\"?$");

    private final Workspace workspace = new Workspace();
    private final KubeClient client;
    private final Path kubeconfig;
    private final LoopbackCertificates certificates;
    private final URI store;
    private final URI server;
    private final Rights rights;
    private final String services;
    private Process process;

    /// Who may do what.
    public enum Rights {
        /// Anybody anything.
        ALL,
        /// What roles say; the administrator anything.
        BY_ROLE
    }

    private KubeApiServer(InstantSource clock, Rights rights, String services) {
        try {
            var etcd = StockProgram.ETCD.require();
            StockProgram.KUBE_APISERVER.require();
            var definitions = StockProgram.requireDefinitions();
            this.rights = rights;
            this.services = services;
            certificates = LoopbackCertificates.write(workspace.directory(), clock);
            store = startStore(etcd);
            server = URI.create("https://127.0.0.1:" + Workspace.freePort());
            process = startServer();
            client = new KubeClient(server, TOKEN, certificates.trust());
            kubeconfig = writeKubeconfig("kubeconfig", server);
            workspace.await("kube-apiserver", process, PATIENCE, client::ready);
            define(definitions);
        } catch (RuntimeException | Error e) {
            workspace.close();
            throw e;
        }
    }

    /// Starts and waits until it answers; skips the test when the programs are not there.
    public static KubeApiServer start(InstantSource clock) {
        return new KubeApiServer(clock, Rights.ALL, SERVICES);
    }

    /// A second cluster, whose services have other addresses: 10.100.0.0/16.
    public static KubeApiServer startPeer(InstantSource clock) {
        return new KubeApiServer(clock, Rights.ALL, "10.100.0.0/16,fd00:10:100::/112");
    }

    /// The same with other rights.
    public static KubeApiServer start(InstantSource clock, Rights rights) {
        return new KubeApiServer(clock, rights, SERVICES);
    }

    public KubeClient client() {
        return client;
    }

    /// A file with all that a client needs to be its administrator.
    public Path kubeconfig() {
        return kubeconfig;
    }

    /// The same for clients that reach it through a port of theirs on this machine.
    public Path kubeconfigThrough(int port) {
        return writeKubeconfig("kubeconfig-" + port, URI.create("https://127.0.0.1:" + port));
    }

    /// What an administrator needs, as a text that refers to no files.
    public String portableKubeconfig() {
        return portableKubeconfig(server.getPort());
    }

    /// The same through another port of this machine.
    public String portableKubeconfig(int port) {
        try {
            return """
                    apiVersion: v1
                    kind: Config
                    clusters:
                    - {name: verify, cluster: {server: 'https://127.0.0.1:%d', certificate-authority-data: %s}}
                    users:
                    - {name: verify, user: {token: %s}}
                    contexts:
                    - {name: verify, context: {cluster: verify, user: verify}}
                    current-context: verify
                    """.formatted(
                    port, Base64.getEncoder().encodeToString(Files.readAllBytes(certificates.certificate())), TOKEN);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return server.getPort();
    }

    /// Ends the API server; its store goes on.
    public void stop() {
        Workspace.end(process.toHandle());
    }

    /// Starts the API server that was stopped, on the same port, and waits until it answers.
    public void resume() {
        process = startServer();
        workspace.await("kube-apiserver", process, PATIENCE, client::ready);
    }

    /// Makes the store forget everything but the latest version of each object.
    public void compact() {
        try (var http = HttpClient.newHttpClient()) {
            var revision = Pattern.compile("\"revision\":\"(\\d+)\"").matcher(ask(http, "range", "{\"key\":\"AA==\"}"));
            if (!revision.find()) {
                throw new IllegalStateException("the store does not tell its revision");
            }
            ask(http, "compaction", "{\"revision\":\"" + revision.group(1) + "\",\"physical\":true}");
        }
    }

    private String ask(HttpClient http, String what, String body) {
        var request = HttpRequest.newBuilder(store.resolve("/v3/kv/" + what))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(what + " answered " + answer.body());
            }
            return answer.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
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

    private Process startServer() {
        var tokens = write("tokens.csv", TOKEN + ",admin,admin,\"system:masters\"\n");
        var command = List.of(
                StockProgram.KUBE_APISERVER.require().toString(),
                "--etcd-servers=" + store,
                "--bind-address=127.0.0.1",
                "--secure-port=" + server.getPort(),
                // The address that the API server publishes for itself must not be a loopback one; nobody dials it.
                "--advertise-address=172.18.0.2",
                "--service-cluster-ip-range=" + services,
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

    private Path writeKubeconfig(String name, URI server) {
        return write(name, """
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
