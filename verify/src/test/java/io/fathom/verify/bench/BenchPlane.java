// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.verify.peers.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A control plane of a benchmark: the program itself, on a folder.
final class BenchPlane implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Process process;
    private final int plaintext;
    private final int tls;
    private final int http;

    private BenchPlane(Process process, int plaintext, int tls, int http) {
        this.process = process;
        this.plaintext = plaintext;
        this.tls = tls;
        this.http = http;
    }

    /// Ready when this returns.
    ///
    /// @param name of its log in the workspace
    /// @param more flags
    static BenchPlane start(Workspace workspace, String name, BenchCluster cluster, Path authority, List<String> more) {
        var plaintext = Workspace.freePort();
        var tls = Workspace.freePort();
        var http = Workspace.freePort();
        var command = new ArrayList<>(List.of(
                Path.of("bin/fathomd").toAbsolutePath().toString(),
                "--manifests=" + cluster.folder(),
                "--cluster-id=" + cluster.id(),
                "--ca-file=" + authority,
                "--plaintext-port=" + plaintext,
                "--tls-port=" + tls,
                "--http-port=" + http));
        command.addAll(more);
        var process = workspace.start(name, command, Map.of("FATHOM_BUILD", "skip"));
        var plane = new BenchPlane(process, plaintext, tls, http);
        workspace.await(name, process, PATIENCE, plane::isReady);
        return plane;
    }

    int port() {
        return plaintext;
    }

    int tlsPort() {
        return tls;
    }

    long pid() {
        return process.pid();
    }

    private boolean isReady() {
        return page("/ready").isPresent();
    }

    /// What it says of clusters.
    JsonNode clusters() {
        try {
            return new ObjectMapper().readTree(page("/debug/clusterz").orElse("[]"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Optional<String> page(String path) {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http + path))
                .build();
        try (var client = HttpClient.newHttpClient()) {
            var answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /// Bytes of objects that are in use, after a full collection.
    long liveHeap() throws IOException {
        var java = Path.of(process.info().command().orElseThrow());
        var jcmd = java.resolveSibling("jcmd").toString();
        var histogram = new ProcessBuilder(jcmd, Long.toString(pid()), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        try (var lines = histogram.inputReader()) {
            return lines.lines()
                    .filter(line -> line.startsWith("Total "))
                    .mapToLong(line -> Long.parseLong(line.strip().split(" +", -1)[2]))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException(jcmd + " told nothing of process " + pid()));
        }
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }
}
