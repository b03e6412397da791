// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomctl;

import io.fathom.app.BuildInfo;
import io.fathom.tools.cli.Fathomctl;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/// Runs each command once, so that the JVM can keep what it learnt in an AOT cache. Run by `bin/lib/build` with the
/// address of a control plane.
final class Rehearsal {
    private static final List<List<String>> COMMANDS = List.of(
            List.of("version"),
            List.of("get", "workloads"),
            List.of("get", "services", "-n", "shop"),
            List.of("get", "policies", "-o", "json"),
            List.of("get", "problems"),
            List.of("get", "status"),
            List.of("get", "--help"),
            List.of("gte"));

    private Rehearsal() {}

    public static void main(String[] args) {
        var out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
        var err = new PrintWriter(System.err, false, StandardCharsets.UTF_8);
        for (var command : COMMANDS) {
            Fathomctl.run(
                    command.toArray(String[]::new),
                    Map.of("FATHOMD", args[0]),
                    BuildInfo.current().text(),
                    out,
                    err);
        }
    }
}
