package io.fathom.tools.cli;

import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Flag;
import io.fathom.tools.args.Program;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/// The tool as a function: arguments in, text and an exit code out.
public final class Fathomctl {
    private static final String ADDRESS_VARIABLE = "FATHOMD";
    private static final String DEFAULT_ADDRESS = "localhost:15014";
    private static final Flag ADDRESS = Flag.of(
            "--fathomd",
            "HOST:PORT",
            "HTTP port of the control plane. [" + ADDRESS_VARIABLE + ", default " + DEFAULT_ADDRESS + "]");

    private Fathomctl() {}

    /// Runs one command and returns its exit code.
    ///
    /// @param version of this tool, as `version` prints it
    public static int run(
            String[] args, Map<String, String> environment, String version, PrintWriter out, PrintWriter err) {
        return new Program(
                        "fathomctl",
                        "Asks a Fathom control plane what it serves and what is wrong.",
                        List.of(ADDRESS),
                        List.of(
                                GetCommand.command(arguments -> client(arguments, environment)),
                                VersionCommand.command(version, arguments -> client(arguments, environment))))
                .run(args, out, err);
    }

    private static FathomdClient client(Arguments arguments, Map<String, String> environment) {
        var wanted = arguments.value(ADDRESS).orElse(environment.getOrDefault(ADDRESS_VARIABLE, ""));
        return FathomdClient.of(wanted.isEmpty() ? DEFAULT_ADDRESS : wanted);
    }
}
