// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.up;

import io.fathom.app.log.LogSetup;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.Program;
import io.fathom.tools.local.Engine;
import io.fathom.tools.local.EngineConfig;
import io.fathom.tools.local.StatusText;
import io.fathom.tools.local.run.RunFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Runs a mesh (`engine`), or tells of one (`status`). Called by `bin/up`, which checks what they are given.
public final class UpMain {
    private static final List<String> NODES = List.of("node-1", "node-2");

    private UpMain() {}

    public static void main(String[] args) {
        var run = new RunFolder(Path.of(args[1]), System.getenv().getOrDefault("FATHOM_UP", "bin/up"));
        switch (args[0]) {
            case "engine" -> engine(run, Path.of(args[2]), Path.of(args[3]), Integer.parseInt(args[4]));
            case "status" -> System.exit(status(run));
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static void engine(RunFolder run, Path bin, Path manifests, int gone) {
        LogSetup.level("info");
        var java = Path.of(System.getProperty("java.home"), "bin", "java");
        var path = System.getenv().getOrDefault("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        var envoy = Optional.ofNullable(System.getenv("FATHOM_ENVOY"))
                .filter(name -> !name.isEmpty())
                .map(Path::of);
        Engine.run(new EngineConfig(run, bin, java, envoy, manifests, NODES, path, Duration.ofMillis(gone)));
    }

    private static int status(RunFolder run) {
        try {
            System.out.print(StatusText.of(run));
            return 0;
        } catch (ProblemException e) {
            System.err.print(Program.complaint("bin/up", e.problem()));
            return 1;
        }
    }
}
