package io.fathom.tools.cli;

import io.fathom.base.lang.ProblemException;
import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/// The tool as a function: arguments in, text and an exit code out.
///
/// Exit codes are istioctl's: 0 fine, 1 failed, 64 wrong usage.
@Command(
        name = "fathomctl",
        synopsisSubcommandLabel = "COMMAND",
        header = "Asks a Fathom control plane what it serves and what is wrong.",
        sortOptions = false)
public final class Fathomctl implements Runnable {
    public static final int FAILED = 1;
    public static final int WRONG_USAGE = 64;
    static final String ADDRESS_VARIABLE = "FATHOMD";
    static final String DEFAULT_ADDRESS = "localhost:15014";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before anything runs
    private CommandSpec spec;

    @Option(
            names = "--fathomd",
            paramLabel = "HOST:PORT",
            scope = ScopeType.INHERIT,
            description = "HTTP port of the control plane. [FATHOMD, default " + DEFAULT_ADDRESS + "]")
    private String address = "";

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show what a command does.")
    @SuppressWarnings("UnusedVariable") // picocli only needs the option to be there
    private boolean help;

    private final String version;
    private final Map<String, String> environment;

    private Fathomctl(String version, Map<String, String> environment) {
        this.version = version;
        this.environment = environment;
    }

    /// Runs one command and returns its exit code.
    ///
    /// @param version of this tool, as `version` prints it
    public static int run(
            String[] args, Map<String, String> environment, String version, PrintWriter out, PrintWriter err) {
        var root = new Fathomctl(version, environment);
        var command = new CommandLine(root);
        command.addSubcommand(new GetCommand(root)).addSubcommand(new VersionCommand(root));
        var code = command.setOut(out)
                .setErr(err)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler((e, _) -> wrongUsage(e, err))
                .setExecutionExceptionHandler((e, _, _) -> failed(e, err))
                .execute(args);
        out.flush();
        err.flush();
        return code;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }

    String version() {
        return version;
    }

    FathomdClient client() {
        var wanted = address.isEmpty() ? environment.getOrDefault(ADDRESS_VARIABLE, "") : address;
        return FathomdClient.of(wanted.isEmpty() ? DEFAULT_ADDRESS : wanted);
    }

    private static int wrongUsage(ParameterException e, PrintWriter err) {
        err.println("fathomctl: " + e.getMessage());
        if (e instanceof UnmatchedArgumentException unmatched
                && !unmatched.getSuggestions().isEmpty()) {
            err.println("  did you mean: " + String.join(", ", unmatched.getSuggestions()));
        }
        err.println("  see: " + e.getCommandLine().getCommandSpec().qualifiedName() + " --help");
        return WRONG_USAGE;
    }

    private static int failed(Exception e, PrintWriter err) throws Exception {
        if (e instanceof ProblemException expected) {
            err.println("fathomctl: " + expected.problem().message());
            err.println("  fix: " + expected.problem().fix());
            return FAILED;
        }
        throw e;
    }
}
