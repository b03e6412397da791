// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.app.BuildInfo;
import io.fathom.app.ProcessName;
import io.fathom.app.StopSignal;
import io.fathom.app.log.LogSetup;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.HelpText;
import io.fathom.tools.args.Program;
import java.util.List;
import java.util.Map;

/// Runs a node agent until it is told to stop.
///
/// Exit codes: 0 fine, 1 could not start, 64 wrong usage.
public final class CniMain {
    private static final int WRONG_USAGE = 64;
    private static final int FAILED = 1;

    private CniMain() {}

    public static void main(String[] args) throws InterruptedException {
        System.exit(run(args, System.getenv()));
    }

    private static int run(String[] args, Map<String, String> environment) throws InterruptedException {
        var words = List.of(args);
        if (words.contains("--help") || words.contains("-h") || words.contains("help")) {
            System.out.print(help());
            return 0;
        }
        if (words.contains("--version") || words.contains("version")) {
            System.out.println("fathom-cni " + BuildInfo.current().text());
            return 0;
        }
        CniConfig config;
        try {
            config = CniConfig.parse(args, environment);
        } catch (ProblemException e) {
            return complain(e, WRONG_USAGE);
        }
        try {
            return serve(config);
        } catch (ProblemException e) {
            return complain(e, FAILED);
        }
    }

    private static int serve(CniConfig config) throws InterruptedException {
        LogSetup.level(config.logLevel());
        ProcessName.set("fathom-cni");
        var agent = CniAgent.start(config);
        var stop = StopSignal.install();
        stop.await();
        agent.close();
        stop.stopped(0);
        return 0;
    }

    private static int complain(ProblemException e, int code) {
        System.err.print(Program.complaint("fathom-cni", e.problem()));
        return code;
    }

    private static String help() {
        return new HelpText()
                .line("The node agent: captures the pods of a node that are to be in the mesh.")
                .line("")
                .line("Usage: fathom-cni [FLAG ...]")
                .line("")
                .flags(CniSetting.flags())
                .line("")
                .line("Each flag can be set through the environment variable in brackets instead; the flag wins.")
                .toString();
    }
}
