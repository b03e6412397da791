package io.fathom.app.fathomd;

import io.fathom.app.BuildInfo;
import io.fathom.tools.cli.Fathomctl;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/// Does once what the programs do when they start, so that the JVM can keep what it learnt in an AOT cache. Run by
/// `bin/lib/build`; serves nobody.
final class Rehearsal {
    private static final List<List<String>> COMMANDS = List.of(
            List.of("version"),
            List.of("get", "workloads"),
            List.of("get", "services", "-n", "shop"),
            List.of("get", "policies", "-o", "json"),
            List.of("get", "problems"),
            List.of("get", "status"),
            List.of("get", "--help"));

    private Rehearsal() {}

    public static void main(String[] args) {
        var out = new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
        var flags = new String[] {
            "--manifests",
            args[0],
            "--listen-address",
            "127.0.0.1",
            "--plaintext-port",
            "0",
            "--tls-port",
            "0",
            "--http-port",
            "0"
        };
        out.println(Settings.help());
        try (var fathomd = Fathomd.start(FathomdConfig.parse(flags, Map.of()))) {
            out.println(fathomd.welcome());
            var address = Map.of("FATHOMD", "127.0.0.1:" + fathomd.httpPort());
            for (var command : COMMANDS) {
                Fathomctl.run(
                        command.toArray(String[]::new),
                        address,
                        BuildInfo.current().text(),
                        out,
                        out);
            }
        }
        out.flush();
        System.exit(0);
    }
}
