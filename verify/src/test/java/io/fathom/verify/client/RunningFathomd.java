// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.app.fathomd.Fathomd;
import io.fathom.app.fathomd.FathomdConfig;
import io.fathom.app.log.LogSetup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;

/// The real control plane inside this process, on ports of its own choice.
public final class RunningFathomd implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Fathomd fathomd;
    private final HttpClient http = HttpClient.newHttpClient();

    private RunningFathomd(Fathomd fathomd) {
        this.fathomd = fathomd;
    }

    /// Serves a folder of manifests, with feature switches as upstream names them.
    public static RunningFathomd on(Path manifests, Map<String, String> env) {
        return new RunningFathomd(Fathomd.start(config("--manifests", manifests, env)));
    }

    /// Serves the objects of an API server and changes none of them.
    public static RunningFathomd lookingAt(Path kubeconfig, Map<String, String> env) {
        return new RunningFathomd(Fathomd.look(config("--kubeconfig", kubeconfig, env)));
    }

    /// Serves the objects of an API server and writes what a control plane writes.
    public static RunningFathomd governing(Path kubeconfig, Map<String, String> env) {
        return new RunningFathomd(Fathomd.start(config("--kubeconfig", kubeconfig, env)));
    }

    private static FathomdConfig config(String flag, Path origin, Map<String, String> env) {
        String[] args = {
            flag,
            origin.toString(),
            "--plaintext-port",
            "0",
            "--tls-port",
            "0",
            "--http-port",
            "0",
            "--webhook-port",
            env.getOrDefault("FATHOM_WEBHOOK_PORT", "0"),
            "--health-port",
            "0",
            "--cluster-id",
            env.getOrDefault("CLUSTER_ID", "Kubernetes")
        };
        LogSetup.level("warn");
        return FathomdConfig.parse(args, env);
    }

    public int plaintextPort() {
        return fathomd.plaintextPort();
    }

    public int httpPort() {
        return fathomd.httpPort();
    }

    public int tlsPort() {
        return fathomd.tlsPort();
    }

    /// For probes; only of one that serves a cluster.
    public int healthPort() {
        return fathomd.healthPort().orElseThrow();
    }

    /// For the API server; only of one that serves a cluster.
    public int webhookPort() {
        return fathomd.webhookPort().orElseThrow();
    }

    /// What it would write into the status of the objects, by `Kind/namespace/name`.
    public JsonNode statuses() {
        return json("/debug/statusz");
    }

    public JsonNode json(String path) {
        var body = text(path);
        try {
            return JSON.readTree(body);
        } catch (IOException e) {
            throw new UncheckedIOException("not JSON: " + body, e);
        }
    }

    public String text(String path) {
        var uri = URI.create("http://127.0.0.1:" + fathomd.httpPort() + path);
        try {
            var response = http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IllegalStateException(uri + " answered " + response.statusCode() + ": " + response.body());
            }
            return response.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        http.close();
        fathomd.close();
    }
}
