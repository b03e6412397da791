// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The plugin's files, and calls of its launcher as a container runtime makes them: with an environment that has the
/// variables of CNI and a `PATH` on which there is nothing.
final class InstalledPlugin {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final ObjectMapper JSON = new ObjectMapper();

    /// What a call gave.
    record Result(int code, JsonNode out, String err) {}

    private final Path launcher;
    private final Path nothing;

    InstalledPlugin(Path launcher, Path nothing) {
        this.launcher = launcher;
        this.nothing = nothing;
    }

    /// Puts the assembled plugin into `folder`, of what the running build has made.
    static void assemble(Path folder) throws IOException, InterruptedException {
        assumeTrue(
                Files.exists(ROOT.resolve("app/target/fathom.jar")),
                "the programs are not built: run Maven's phase verify, or bin/lib/build");
        var builder = new ProcessBuilder("bin/lib/plugin-runtime", folder.toString())
                .directory(ROOT.toFile())
                .redirectErrorStream(true);
        builder.environment().put("FATHOM_BUILD", "skip");
        var process = builder.start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    Result call(Map<String, String> environment, String stdin) throws IOException, InterruptedException {
        var error = Files.createTempFile("istio-cni", ".err");
        var builder = new ProcessBuilder(List.of(launcher.toString())).redirectError(error.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", nothing.toString());
        builder.environment().putAll(environment);
        var process = builder.start();
        try (var in = process.getOutputStream()) {
            in.write(stdin.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // it did not want to know
        }
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        var told = Files.readString(error);
        Files.delete(error);
        return new Result(process.exitValue(), out.isEmpty() ? JSON.missingNode() : JSON.readTree(out), told);
    }
}
