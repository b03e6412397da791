// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.gateways;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fathom.verify.peers.StockProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A real program on a cluster, as its administrator: `kubectl` or `istioctl`.
record Command(StockProgram program, Path kubeconfig) {
    private static final ObjectMapper JSON = new ObjectMapper();

    record Result(int exit, String output) {}

    /// With something to read.
    Result run(String input, String... arguments) {
        var command = new ArrayList<>(List.of(program.require().toString(), "--kubeconfig=" + kubeconfig));
        command.addAll(List.of(arguments));
        try {
            var builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put("HOME", kubeconfig.resolveSibling("home").toString());
            var process = builder.start();
            try (var out = process.getOutputStream()) {
                out.write(input.getBytes(StandardCharsets.UTF_8));
            }
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /// What it printed; it must not fail.
    String must(String... arguments) {
        return mustTake("", arguments);
    }

    String mustTake(String input, String... arguments) {
        var result = run(input, arguments);
        if (result.exit() != 0) {
            throw new IllegalStateException(program + " " + List.of(arguments) + " failed:\n" + result.output());
        }
        return result.output();
    }

    void apply(String yaml) {
        mustTake(yaml, "apply", "--server-side", "--force-conflicts", "-f", "-");
    }

    /// An object, if there is one of that name.
    Optional<JsonNode> get(String kind, String namespace, String name) {
        var result = run("", "get", kind, name, "-n", namespace, "-o", "json", "--ignore-not-found");
        if (result.exit() != 0) {
            throw new IllegalStateException(result.output());
        }
        return result.output().isBlank() ? Optional.empty() : Optional.of(json(result.output()));
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException("not JSON: " + text, e);
        }
    }
}
