// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Command;
import io.fathom.tools.args.Flag;
import io.fathom.tools.args.Program;
import io.fathom.tools.clusters.ClusterCommands;
import io.fathom.tools.install.InstallCommands;
import io.fathom.tools.link.MulticlusterCommands;
import io.fathom.tools.query.FathomdClient;
import java.io.PrintWriter;
import java.util.ArrayList;
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
                        "Installs a Fathom mesh, and asks its control plane what it serves and what is wrong.",
                        List.of(ADDRESS),
                        commands(environment, version))
                .run(args, out, err);
    }

    private static List<Command> commands(Map<String, String> environment, String version) {
        var commands = new ArrayList<>(List.of(
                GetCommand.command(arguments -> client(arguments, environment)),
                VersionCommand.command(version, arguments -> client(arguments, environment)),
                RemoteClustersCommand.command(arguments -> client(arguments, environment))));
        commands.add(FleetCommand.command(environment));
        commands.addAll(new ClusterCommands(environment).commands());
        commands.add(new MulticlusterCommands(environment).command());
        commands.addAll(new InstallCommands(environment, version, System.in).commands());
        return commands;
    }

    private static FathomdClient client(Arguments arguments, Map<String, String> environment) {
        var wanted = arguments.value(ADDRESS).orElse(environment.getOrDefault(ADDRESS_VARIABLE, ""));
        return FathomdClient.of(wanted.isEmpty() ? DEFAULT_ADDRESS : wanted);
    }
}
