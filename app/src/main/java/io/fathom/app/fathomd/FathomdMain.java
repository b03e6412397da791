// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.BuildInfo;
import io.fathom.app.ProcessName;
import io.fathom.app.StopSignal;
import io.fathom.app.cahelper.CaHelperMain;
import io.fathom.app.log.LogSetup;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.Program;
import java.util.Arrays;
import java.util.Map;

/// Starts a control plane from the command line and runs it until told to stop; or, with `ca-helper` as the first word,
/// the helper that plugs certificates into others.
///
/// Exit codes: 0 fine, 1 could not start or (with `--check`) manifests have problems, 2 wrong flags or variables.
public final class FathomdMain {
    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;

    private static final String CA_HELPER = "ca-helper";

    private FathomdMain() {}

    public static void main(String[] args) throws InterruptedException {
        var helps = args.length > 0 && args[0].equals(CA_HELPER);
        System.exit(
                helps
                        ? CaHelperMain.run(Arrays.copyOfRange(args, 1, args.length), System.getenv())
                        : run(args, System.getenv()));
    }

    private static int run(String[] args, Map<String, String> environment) throws InterruptedException {
        CommandLine.Mode mode;
        FathomdConfig config;
        try {
            var commandLine = CommandLine.read(args, environment);
            mode = commandLine.mode();
            if (mode == CommandLine.Mode.HELP) {
                System.out.print(CommandLine.help());
                return 0;
            }
            if (mode == CommandLine.Mode.VERSION) {
                System.out.println("fathomd " + BuildInfo.current().text());
                return 0;
            }
            config = FathomdConfig.of(commandLine.settings());
        } catch (ProblemException e) {
            return complain(e, WRONG_USAGE);
        }
        try {
            return mode == CommandLine.Mode.CHECK ? check(config) : serve(config, mode);
        } catch (ProblemException e) {
            return complain(e, FAILED);
        }
    }

    private static int check(FathomdConfig config) {
        LogSetup.level("error"); // what is wrong with the manifests is in the text below
        try (var fathomd = Fathomd.look(config)) {
            System.out.print(fathomd.welcome());
            return ProblemList.hasErrors(fathomd.lastingProblems()) ? FAILED : 0;
        }
    }

    private static int serve(FathomdConfig config, CommandLine.Mode mode) throws InterruptedException {
        LogSetup.level(config.logLevel());
        ProcessName.set("fathomd");
        var fathomd = Fathomd.start(config);
        var stop = StopSignal.install();
        if (mode == CommandLine.Mode.WELCOME) {
            System.out.print(fathomd.welcome() + "Ctrl-C stops it.\n");
        }
        stop.await();
        fathomd.drain();
        stop.stopped(0);
        return 0;
    }

    private static int complain(ProblemException e, int code) {
        System.err.print(Program.complaint("fathomd", e.problem()));
        return code;
    }
}
