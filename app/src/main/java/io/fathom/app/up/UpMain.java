// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.up;

import io.fathom.app.log.LogSetup;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.Program;
import io.fathom.tools.local.ClusterEngines;
import io.fathom.tools.local.Engine;
import io.fathom.tools.local.EngineConfig;
import io.fathom.tools.local.LinkWay;
import io.fathom.tools.local.StatusText;
import io.fathom.tools.local.run.RunFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Runs a mesh (`engine`) or several clusters of one (`clusters`), or tells of one (`status`). Called by `bin/up`,
/// which checks what they are given.
public final class UpMain {
    private static final List<String> NODES = List.of("node-1", "node-2");

    private UpMain() {}

    public static void main(String[] args) {
        var run = new RunFolder(Path.of(args[1]), System.getenv().getOrDefault("FATHOM_UP", "bin/up"));
        switch (args[0]) {
            case "engine" ->
                Engine.run(config(run, NODES, Path.of(args[2]), Path.of(args[3]), Integer.parseInt(args[4])));
            case "clusters" ->
                ClusterEngines.run(
                        config(run, List.of("node-1"), Path.of(args[2]), Path.of(args[3]), Integer.parseInt(args[4])),
                        Integer.parseInt(args[5]),
                        LinkWay.valueOf(args[6].toUpperCase(Locale.ROOT)),
                        Integer.parseInt(args[7]));
            case "status" -> System.exit(status(run, List.of(args).subList(2, args.length)));
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static EngineConfig config(RunFolder run, List<String> nodes, Path bin, Path manifests, int gone) {
        LogSetup.level("info");
        var java = Path.of(System.getProperty("java.home"), "bin", "java");
        var path = System.getenv().getOrDefault("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        var envoy = Optional.ofNullable(System.getenv("FATHOM_ENVOY"))
                .filter(name -> !name.isEmpty())
                .map(Path::of);
        return new EngineConfig(
                run, bin, java, envoy, manifests, nodes, path, Duration.ofMillis(gone), Optional.empty());
    }

    /// @param clusters of several, those that are asked for; none for all
    private static int status(RunFolder run, List<String> clusters) {
        try {
            if (!Files.exists(run.clusters())) {
                System.out.print(StatusText.of(run));
                return 0;
            }
            for (var name : clusters.isEmpty() ? Files.readAllLines(run.clusters()) : clusters) {
                System.out.println("Cluster " + name + "\n\n" + StatusText.of(run.cluster(name)));
            }
            return 0;
        } catch (ProblemException e) {
            System.err.print(Program.complaint("bin/up", e.problem()));
            return 1;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
