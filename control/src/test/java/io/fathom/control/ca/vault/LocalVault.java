// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
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
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;

/// The real Vault on the loopback interface, with its data in a folder so that it can be killed and started again.
final class LocalVault implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path program;
    private final Path directory;
    private final int port;
    private final HttpClient http = HttpClient.newHttpClient();
    private Process process;
    private String unsealKey = "";
    private String rootToken = "";

    private LocalVault(Path program, Path directory) {
        this.program = program;
        this.directory = directory;
        var ports = freePorts(2);
        this.port = ports.getFirst();
        try {
            Files.createDirectories(directory.resolve("data"));
            Files.writeString(
                    directory.resolve("vault.hcl"), """
                    disable_mlock = true
                    api_addr      = "http://127.0.0.1:%1$d"
                    cluster_addr  = "https://127.0.0.1:%2$d"
                    storage "raft" {
                      path                   = "%3$s"
                      node_id                = "one"
                      performance_multiplier = 1
                    }
                    listener "tcp" {
                      address         = "127.0.0.1:%1$d"
                      cluster_address = "127.0.0.1:%2$d"
                      tls_disable     = true
                    }
                    """.formatted(port, ports.getLast(), directory.resolve("data")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.process = launch();
    }

    /// Initialized, unsealed and with a root in the PKI engine at `pki/`; skips the test if there is no Vault.
    static LocalVault start(Path directory) {
        var vault = new LocalVault(program("vault"), directory);
        try {
            vault.initialize();
            vault.unseal();
            vault.root("POST", "sys/mounts/pki", Map.of("type", "pki", "config", Map.of("max_lease_ttl", "87600h")));
            vault.newRoot("pki", "Test root");
            return vault;
        } catch (RuntimeException | Error e) {
            vault.close();
            throw e;
        }
    }

    /// A program that `verify/peers/install` has built; skips the test if it has not.
    static Path program(String name) {
        var cache = Optional.ofNullable(System.getenv("FATHOM_CACHE"))
                .map(Path::of)
                .orElse(Path.of(System.getProperty("user.home"), ".cache", "fathom"));
        var program = cache.resolve("peers/bin").resolve(name);
        Assumptions.assumeTrue(
                Files.isExecutable(program), "needs a real " + name + ": run `verify/peers/install " + name + "`");
        return program;
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + port);
    }

    int port() {
        return port;
    }

    Secret rootToken() {
        return new Secret(rootToken);
    }

    /// A root that becomes the default issuer of the mount.
    void newRoot(String mount, String name) {
        var made = root(
                "POST",
                mount + "/root/generate/internal",
                Map.of("common_name", name, "key_type", "ec", "ttl", "8760h"));
        var issuer = made.path("data").path("issuer_id").asText();
        root("POST", mount + "/config/issuers", Map.of("default", issuer));
    }

    /// A token with a policy of the given text.
    Secret tokenWith(String policy, Map<String, Object> settings) {
        root("PUT", "sys/policies/acl/test", Map.of("policy", policy));
        var body = new java.util.HashMap<>(settings);
        body.put("policies", List.of("test"));
        return new Secret(root("POST", "auth/token/create", body)
                .path("auth")
                .path("client_token")
                .asText());
    }

    /// As Vault's administrator; anything but success fails the test.
    JsonNode root(String method, String path, Map<String, Object> body) {
        return call(method, path, Optional.of(rootToken), body);
    }

    void seal() {
        root("POST", "sys/seal", Map.of());
    }

    void unseal() {
        call("POST", "sys/unseal", Optional.empty(), Map.of("key", unsealKey));
        awaitStatus(200);
    }

    /// SIGKILL, nothing is said to anybody.
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(10, TimeUnit.SECONDS);
    }

    /// After [#kill()]: it comes up sealed, as a real one does.
    void restart() {
        process = launch();
        awaitStatus(503);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
        http.close();
    }

    private void initialize() {
        awaitStatus(501);
        var keys = call("POST", "sys/init", Optional.empty(), Map.of("secret_shares", 1, "secret_threshold", 1));
        unsealKey = keys.path("keys").get(0).asText();
        rootToken = keys.path("root_token").asText();
    }

    private Process launch() {
        try {
            var log = directory.resolve("vault.log").toFile();
            return new ProcessBuilder(program.toString(), "server", "-config=" + directory.resolve("vault.hcl"))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitStatus(int want) {
        Awaitility.await("Vault's health " + want)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> http.send(
                                        HttpRequest.newBuilder(address().resolve("/v1/sys/health"))
                                                .build(),
                                        BodyHandlers.discarding())
                                .statusCode()
                        == want);
    }

    private JsonNode call(String method, String path, Optional<String> token, Map<String, Object> body) {
        try {
            var request = HttpRequest.newBuilder(address().resolve("/v1/" + path))
                    .timeout(PATIENCE)
                    .method(
                            method,
                            method.equals("GET")
                                    ? BodyPublishers.noBody()
                                    : BodyPublishers.ofString(JSON.writeValueAsString(body)));
            token.ifPresent(text -> request.header("X-Vault-Token", text));
            var response = http.send(request.build(), BodyHandlers.ofString());
            if (response.statusCode() >= 300) {
                throw new AssertionError(method + " " + path + ": " + response.statusCode() + " " + response.body());
            }
            return JSON.readTree(response.body().isEmpty() ? "{}" : response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static List<Integer> freePorts(int count) {
        var sockets = new ArrayList<ServerSocket>();
        try {
            for (var i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            for (var socket : sockets) {
                socket.close();
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
