// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.cli;

import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Command;
import io.fathom.tools.args.Flag;
import io.fathom.tools.query.FathomdClient;
import java.util.List;
import java.util.function.Function;

/// Prints the versions of this tool and of the control plane it talks to.
final class VersionCommand {
    private static final Flag CLIENT = Flag.toggle("--client", "Only this tool: asks nobody.");

    private VersionCommand() {}

    static Command command(String version, Function<Arguments, FathomdClient> client) {
        return new Command(
                "version",
                List.of(),
                "",
                "Show the versions of this tool and of the control plane.",
                List.of(CLIENT),
                (arguments, out) -> {
                    out.println("client version: " + version);
                    if (!arguments.has(CLIENT)) {
                        out.println("control plane version: "
                                + client.apply(arguments).text("/version").strip());
                    }
                    return 0;
                });
    }
}
