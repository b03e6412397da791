// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.tools.cli.Fathomctl;
import io.fathom.verify.peers.Workspace;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A management server and agents, as processes of their own.
final class FleetProcesses implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Workspace workspace = new Workspace();
    private final int port = Workspace.freePort();
    private final int httpPort = Workspace.freePort();
    private final Map<String, Process> running = new HashMap<>();
    private final Map<String, Integer> pages = new HashMap<>();
    private final HttpClient http = HttpClient.newHttpClient();

    int port() {
        return port;
    }

    /// Where the server is asked.
    String address() {
        return "127.0.0.1:" + httpPort;
    }

    /// Runs on the folder that it had before, if any.
    void startServer(String... flags) {
        startServer(List.of(), flags);
    }

    /// The same with flags for its JVM.
    void startServer(List<String> jvm, String... flags) {
        var process = start(
                "server",
                jvm,
                "io.fathom.app.fleet.FleetMain",
                Stream.concat(
                                Stream.of(
                                        "--state-dir=" + folder("server"),
                                        "--listen-address=127.0.0.1",
                                        "--port=" + port,
                                        "--http-port=" + httpPort),
                                Stream.of(flags))
                        .toList());
        workspace.await(
                "server", process, PATIENCE, () -> page(httpPort, "/ready").equals("ready\n"));
    }

    /// A cluster with a Gateway at that address.
    void write(String cluster, String address, String annotations) {
        put(cluster + "/manifests/gateway.yaml", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata:
                  name: istio-eastwest
                  namespace: istio-eastwest
                  labels: {topology.istio.io/network: net-%s}
                  annotations: {%s}
                spec:
                  gatewayClassName: istio-east-west
                  addresses: [{type: IPAddress, value: %s}]
                  listeners: [{name: mesh, port: 15008, protocol: HBONE, tls: {mode: Terminate}}]
                """.formatted(cluster, annotations, address));
    }

    void put(String path, String text) {
        try {
            var file = workspace.directory().resolve(path);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path folder(String name) {
        return workspace.directory().resolve(name);
    }

    /// Starts the agent of a cluster; waits for nothing.
    Process startAgent(String cluster, String... flags) {
        pages.putIfAbsent(cluster, Workspace.freePort());
        return start(
                cluster,
                "io.fathom.app.fleet.AgentMain",
                Stream.concat(
                                Stream.of(
                                        "--server=127.0.0.1:" + port,
                                        "--cluster-id=" + cluster,
                                        "--cluster-uid=uid-" + cluster,
                                        "--state-dir=" + folder(cluster + "/state"),
                                        "--manifests=" + folder(cluster + "/manifests"),
                                        "--output=" + folder(cluster + "/gateways"),
                                        "--listen-address=127.0.0.1",
                                        "--http-port=" + pages.get(cluster)),
                                Stream.of(flags))
                        .toList());
    }

    /// The same on an API server.
    Process startAgentOn(Path kubeconfig, String cluster, String... flags) {
        pages.putIfAbsent(cluster, Workspace.freePort());
        return start(
                cluster,
                "io.fathom.app.fleet.AgentMain",
                Stream.concat(
                                Stream.of(
                                        "--server=127.0.0.1:" + port,
                                        "--cluster-id=" + cluster,
                                        "--state-dir=" + folder(cluster + "/state"),
                                        "--kubeconfig=" + kubeconfig,
                                        "--listen-address=127.0.0.1",
                                        "--http-port=" + pages.get(cluster)),
                                Stream.of(flags))
                        .toList());
    }

    /// Starts the agent with a command line that `fathomctl fleet join` has given.
    Process startAgentAs(String cluster, List<String> command) {
        assertThat(command.getFirst()).isEqualTo("fathom-agent");
        pages.putIfAbsent(cluster, Workspace.freePort());
        return start(
                cluster,
                "io.fathom.app.fleet.AgentMain",
                Stream.concat(
                                command.stream().skip(1),
                                Stream.of("--listen-address=127.0.0.1", "--http-port=" + pages.get(cluster)))
                        .toList());
    }

    /// A control plane on an API server. Its name is that of the cluster with `-plane`.
    ///
    /// @return its ports: over TLS, without, and HTTP
    List<Integer> startPlane(Path kubeconfig, String cluster, Map<String, String> env) {
        var ports = Stream.generate(Workspace::freePort).limit(3).toList();
        var name = cluster + "-plane";
        var process = start(
                name,
                List.of(),
                "io.fathom.app.fathomd.FathomdMain",
                List.of(
                        "--kubeconfig=" + kubeconfig,
                        "--cluster-id=" + cluster,
                        "--tls-port=" + ports.get(0),
                        "--plaintext-port=" + ports.get(1),
                        "--http-port=" + ports.get(2),
                        "--webhook-port=0",
                        "--health-port=0"),
                env);
        workspace.await(
                name,
                process,
                PATIENCE,
                () -> page(ports.get(2), "/debug/clusterz").startsWith("["));
        return ports;
    }

    /// The process of that name.
    ProcessHandle process(String name) {
        return Optional.ofNullable(running.get(name)).orElseThrow().toHandle();
    }

    private Process start(String name, String main, List<String> flags) {
        return start(name, List.of(), main, flags);
    }

    private Process start(String name, List<String> jvm, String main, List<String> flags) {
        return start(name, jvm, main, flags, Map.of());
    }

    private Process start(String name, List<String> jvm, String main, List<String> flags, Map<String, String> env) {
        var command = new ArrayList<>(
                List.of(ProcessHandle.current().info().command().orElse("java"), "-XX:TieredStopAtLevel=1"));
        command.addAll(jvm);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(flags);
        var process = workspace.start(name, command, env);
        running.put(name, process);
        return process;
    }

    /// As a power failure would.
    void kill(String name) {
        var process = Optional.ofNullable(running.remove(name)).orElseThrow();
        process.destroyForcibly();
        try {
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// How many files and sockets a program has open.
    int descriptors(String name) {
        var folder = Path.of("/proc/" + process(name).pid() + "/fd");
        try (var files = Files.list(folder)) {
            return (int) files.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String log(String name) {
        return workspace.tail(name);
    }

    /// A token of the server's, as `fathomctl fleet token` prints it.
    String token(String cluster, String... flags) {
        var words = Stream.concat(Stream.of("token", cluster, "-o", "json"), Stream.of(flags));
        try {
            return JSON.readTree(fathomctl(words.toArray(String[]::new)))
                    .path("token")
                    .asText();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// `fathomctl fleet` and what it printed.
    String fathomctl(String... words) {
        var out = new StringWriter();
        var err = new StringWriter();
        var command = Stream.concat(Stream.of("fleet", "--fleet", address()), Stream.of(words));
        var code = Fathomctl.run(
                command.toArray(String[]::new),
                Map.of(),
                "test",
                new PrintWriter(out, true),
                new PrintWriter(err, true));
        assertThat(code).as("%s%s", out, err).isZero();
        return out.toString();
    }

    /// What the server knows of a cluster.
    JsonNode cluster(String name) {
        try {
            for (var cluster : JSON.readTree(page(httpPort, "/debug/fleetz")).path("clusters")) {
                if (cluster.path("name").asText().equals(name)) {
                    return cluster;
                }
            }
            return JSON.createObjectNode();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String serverMetrics() {
        return page(httpPort, "/metrics");
    }

    /// One number of [#serverMetrics].
    ///
    /// @param name with its labels
    long metric(String name) {
        return serverMetrics()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> (long) Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(0L);
    }

    /// What an agent knows.
    JsonNode agent(String cluster) {
        try {
            return JSON.readTree(page(pages.getOrDefault(cluster, 0), "/debug/agentz"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The text of a page; an empty object if nobody answers.
    String page(int at, String path) {
        try {
            var uri = URI.create("http://127.0.0.1:" + at + path);
            return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            return "{}";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "{}";
        }
    }

    /// Names of the Gateways that an agent has written.
    List<String> gateways(String cluster) {
        var folder = folder(cluster + "/gateways");
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("gateway_") && name.endsWith(".yaml"))
                    .map(name -> name.substring(name.lastIndexOf('_') + 1, name.length() - ".yaml".length()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The file of a Gateway that an agent has written.
    Path gateway(String cluster, String peer) {
        return folder(cluster + "/gateways").resolve("gateway_istio-eastwest_istio-remote-peer-" + peer + ".yaml");
    }

    @Override
    public void close() {
        http.close();
        workspace.close();
    }
}
