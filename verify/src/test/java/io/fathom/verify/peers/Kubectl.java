// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The real `kubectl`, as the administrator of a cluster.
public final class Kubectl {
    private final Path program;
    private final Path kubeconfig;

    private Kubectl(Path program, Path kubeconfig) {
        this.program = program;
        this.kubeconfig = kubeconfig;
    }

    /// Skips the test when the program is not there.
    public static Kubectl of(KubeApiServer cluster) {
        return new Kubectl(StockProgram.KUBECTL.require(), cluster.kubeconfig());
    }

    /// What it printed, on either stream, and how it ended.
    public record Result(int exit, String output) {
        public List<String> lines() {
            return output.lines().toList();
        }
    }

    /// `kubectl apply -f` of one or more documents.
    public Result apply(String yaml) {
        try {
            var file = Files.createTempFile("fathom-apply-", ".yaml");
            try {
                Files.writeString(file, yaml);
                return run("apply", "-f", file.toString());
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Result run(String... arguments) {
        var command = new ArrayList<>(List.of(program.toString(), "--kubeconfig", kubeconfig.toString()));
        command.addAll(List.of(arguments));
        try {
            var builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put("HOME", System.getProperty("java.io.tmpdir")); // where it may keep what it learnt
            var process = builder.start();
            process.getOutputStream().close();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
