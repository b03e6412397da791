// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.KubeConfig.PemText;
import io.fathom.wire.kube.api.KubeConfig.Token;
import io.fathom.wire.kube.api.KubeConfig.Trust;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;

/// A real API server with its store on the loopback interface: enough to make service accounts, pods and their tokens,
/// and to have them reviewed.
public final class LocalKube implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ADMIN = "admin-token";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Path directory;
    private final int port;
    private final List<Process> processes = new ArrayList<>();
    private final HttpClient http;

    private LocalKube(Path directory) {
        this.directory = directory;
        var ports = LocalVault.freePorts(3);
        this.port = ports.get(2);
        try {
            Files.createDirectories(directory);
            startStore(ports);
            startServer(ports.getFirst());
            var certificate = directory.resolve("apiserver.crt");
            Awaitility.await("the API server's certificate")
                    .atMost(PATIENCE)
                    .until(() -> Files.exists(certificate) && Files.size(certificate) > 0);
            http = HttpClient.newBuilder()
                    .sslContext(
                            new TrustedCa(Optional.of(certificate)).changed().orElseThrow())
                    .build();
        } catch (IOException e) {
            endProcesses();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            endProcesses();
            throw e;
        }
    }

    /// Skips the test if the programs are not there.
    public static LocalKube start(Path directory) {
        LocalVault.program("etcd");
        LocalVault.program("kube-apiserver");
        var kube = new LocalKube(directory);
        try {
            Awaitility.await("the API server")
                    .atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                    .until(() -> kube.send("GET", "/readyz", Map.of()) == 200);
            return kube;
        } catch (RuntimeException e) {
            kube.close();
            throw e;
        }
    }

    /// As its administrator.
    public KubeConfig config() {
        return new KubeConfig(
                address(),
                Optional.empty(),
                new Trust.Authorities(new PemText.File(directory.resolve("apiserver.crt"))),
                new Token.Fixed(ADMIN),
                Optional.empty());
    }

    public URI address() {
        return URI.create("https://127.0.0.1:" + port);
    }

    /// What its own certificate comes from.
    String caPem() {
        try {
            return Files.readString(directory.resolve("apiserver.crt"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void createAccount(String namespace, String name) {
        send("POST", "/api/v1/namespaces", Map.of("metadata", Map.of("name", namespace)));
        var made = send("POST", accounts(namespace), Map.of("metadata", Map.of("name", name)));
        if (made != 201) {
            throw new AssertionError("service account " + name + ": " + made);
        }
    }

    void deleteAccount(String namespace, String name) {
        send("DELETE", accounts(namespace) + "/" + name, Map.of());
    }

    /// A client that trusts this server.
    public HttpClient http() {
        return http;
    }

    /// What an administrator shows.
    public String adminToken() {
        return ADMIN;
    }

    /// The uid of a new pod that is bound to a node.
    public String createPod(String namespace, String name, String account, String node) {
        var spec = Map.<String, Object>of(
                "serviceAccountName",
                account,
                "automountServiceAccountToken",
                false,
                "nodeName",
                node,
                "containers",
                List.of(Map.of("name", "main", "image", "none")));
        var answer = call(
                "POST",
                "/api/v1/namespaces/" + namespace + "/pods",
                Map.of("metadata", Map.of("name", name), "spec", spec));
        return answer.path("metadata").path("uid").asText();
    }

    public void deletePod(String namespace, String name) {
        send("DELETE", "/api/v1/namespaces/" + namespace + "/pods/" + name, Map.of("gracePeriodSeconds", 0));
    }

    /// A token as the kubelet projects it into that pod.
    public String podToken(String namespace, String account, String pod, String uid, String audience) {
        var bound = Map.of("kind", "Pod", "apiVersion", "v1", "name", pod, "uid", uid);
        var spec = Map.<String, Object>of(
                "audiences", List.of(audience), "expirationSeconds", 3600, "boundObjectRef", bound);
        return call("POST", accounts(namespace) + "/" + account + "/token", Map.of("spec", spec))
                .path("status")
                .path("token")
                .asText();
    }

    /// A token as the kubelet projects it; without audiences it is for the API server itself.
    Secret token(String namespace, String name, List<String> audiences) {
        var spec = Map.<String, Object>of("audiences", audiences, "expirationSeconds", 3600);
        var answer = call("POST", accounts(namespace) + "/" + name + "/token", Map.of("spec", spec));
        return new Secret(answer.path("status").path("token").asText());
    }

    /// What a review of the token says now; the API server remembers its answers for some seconds.
    boolean accepts(Secret token, String audience) {
        var spec = Map.<String, Object>of("token", token.reveal(), "audiences", List.of(audience));
        return call("POST", "/apis/authentication.k8s.io/v1/tokenreviews", Map.of("spec", spec))
                .path("status")
                .path("authenticated")
                .asBoolean(false);
    }

    @Override
    public void close() {
        endProcesses();
        http.shutdownNow();
    }

    private void endProcesses() {
        for (var process : processes.reversed()) {
            process.destroyForcibly();
            process.onExit().join(); // else it may still write into a folder that is being deleted
        }
    }

    private static String accounts(String namespace) {
        return "/api/v1/namespaces/" + namespace + "/serviceaccounts";
    }

    private void startStore(List<Integer> ports) throws IOException {
        var clients = "http://127.0.0.1:" + ports.get(0);
        var peers = "http://127.0.0.1:" + ports.get(1);
        launch(
                "etcd",
                "--data-dir=" + directory.resolve("etcd"),
                "--listen-client-urls=" + clients,
                "--advertise-client-urls=" + clients,
                "--listen-peer-urls=" + peers,
                "--initial-advertise-peer-urls=" + peers,
                "--initial-cluster=default=" + peers,
                "--unsafe-no-fsync",
                "--log-level=warn");
    }

    private void startServer(int store) throws IOException {
        var key = Files.writeString(
                directory.resolve("accounts.key"),
                Pem.encode(KeyAlgorithm.RSA2048.generate().getPrivate()));
        var tokens = Files.writeString(directory.resolve("tokens.csv"), ADMIN + ",admin,admin,\"system:masters\"\n");
        launch(
                "kube-apiserver",
                "--etcd-servers=http://127.0.0.1:" + store,
                "--bind-address=127.0.0.1",
                "--secure-port=" + port,
                "--advertise-address=172.18.0.2", // a loopback one is refused; nobody dials it
                "--service-cluster-ip-range=10.96.0.0/16",
                "--authorization-mode=AlwaysAllow",
                "--token-auth-file=" + tokens,
                "--cert-dir=" + directory,
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-account-key-file=" + key,
                "--service-account-signing-key-file=" + key);
    }

    private void launch(String program, String... arguments) throws IOException {
        var command = new ArrayList<>(List.of(LocalVault.program(program).toString()));
        command.addAll(List.of(arguments));
        processes.add(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(program + ".log").toFile())
                .start());
    }

    private int send(String method, String path, Map<String, Object> body) {
        try {
            return http.send(request(method, path, body), BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private JsonNode call(String method, String path, Map<String, Object> body) {
        try {
            return JSON.readTree(http.send(request(method, path, body), BodyHandlers.ofString())
                    .body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private HttpRequest request(String method, String path, Map<String, Object> body) throws IOException {
        return HttpRequest.newBuilder(address().resolve(path))
                .timeout(Duration.ofSeconds(30))
                .header("Authorization", "Bearer " + ADMIN)
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(JSON.writeValueAsString(body)))
                .build();
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException(e);
    }
}
