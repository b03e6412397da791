package io.fathom.tools.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Prints the versions of this tool and of the control plane it talks to.
@Command(
        name = "version",
        description = "Show the versions of this tool and of the control plane.",
        sortOptions = false)
final class VersionCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before anything runs
    private CommandSpec spec;

    @Option(names = "--client", description = "Only this tool: asks nobody.")
    private boolean clientOnly;

    private final Fathomctl root;

    VersionCommand(Fathomctl root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        var out = spec.commandLine().getOut();
        out.println("client version: " + root.version());
        if (!clientOnly) {
            out.println(
                    "control plane version: " + root.client().text("/version").strip());
        }
        return 0;
    }
}
