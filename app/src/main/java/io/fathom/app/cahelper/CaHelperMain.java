// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cahelper;

import io.fathom.app.ProcessName;
import io.fathom.app.StopSignal;
import io.fathom.app.log.LogSetup;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ca.vault.VaultSetting;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Flag;
import io.fathom.tools.args.HelpText;
import io.fathom.tools.args.Program;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs the helper until it is told to stop.
///
/// Exit codes: 0 fine, 1 could not start, 2 wrong flags or variables.
public final class CaHelperMain {
    private static final Logger log = LoggerFactory.getLogger(CaHelperMain.class);
    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;
    private static final Flag HELP = Flag.toggle("--help", "Show this text.").orShort("-h");
    static final List<Flag> FLAGS = CaHelperSetting.flags(HELP);

    private CaHelperMain() {}

    /// Returns the exit code.
    ///
    /// @param args without the word `ca-helper`
    public static int run(String[] args, Map<String, String> environment) throws InterruptedException {
        CaHelperConfig config;
        try {
            var parsed = Arguments.parse(FLAGS, args);
            if (parsed.has(HELP)) {
                System.out.print(help());
                return 0;
            }
            if (!parsed.operands().isEmpty()) {
                throw new ProblemException(Problem.ofInput(
                        "bad-command-line",
                        "what is '" + String.join(" ", parsed.operands()) + "' for?",
                        "ca-helper takes flags only: see fathomd ca-helper --help"));
            }
            config = CaHelperConfig.of(parsed, environment);
        } catch (ProblemException e) {
            return complain(e, WRONG_USAGE);
        }
        try {
            return serve(config);
        } catch (ProblemException e) {
            return complain(e, FAILED);
        }
    }

    private static int serve(CaHelperConfig config) throws InterruptedException {
        LogSetup.level(config.logLevel());
        ProcessName.set("ca-helper");
        var helper = RunningHelper.start(config);
        log.atInfo().addKeyValue("http", helper.httpPort()).log("started");
        var stop = StopSignal.install();
        stop.await();
        helper.close();
        stop.stopped(0);
        return 0;
    }

    private static int complain(ProblemException e, int code) {
        System.err.print(Program.complaint("fathomd ca-helper", e.problem()));
        return code;
    }

    private static String help() {
        var text = new HelpText()
                .line(
                        "Keeps an intermediate of HashiCorp Vault fresh for control planes, ours or stock ones, that read")
                .line("plugged certificates: in Secret cacerts, or in a folder. See docs/ca-vault.md.")
                .line("")
                .line("Usage: fathomd ca-helper [--folder DIR | --kubeconfig FILE] [FLAG ...]")
                .line("")
                .flags(FLAGS)
                .line("")
                .line("Each flag can be set through the environment variable in brackets instead; the flag wins.")
                .line("Vault, through the environment only:")
                .line("");
        for (var setting : VaultSetting.values()) {
            var fallback = setting.fallback().isEmpty() ? "" : " [default " + setting.fallback() + "]";
            text.row(setting.variable() + "=" + setting.label(), setting.help() + fallback);
        }
        return text.toString();
    }
}
