// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.app.BuildInfo;
import io.fathom.app.ProcessName;
import io.fathom.app.StopSignal;
import io.fathom.app.log.LogSetup;
import io.fathom.app.settings.Setting;
import io.fathom.app.settings.Settings;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Flag;
import io.fathom.tools.args.HelpText;
import io.fathom.tools.args.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/// What both programs do around their work: flags, help, complaints, and the wait for the end.
///
/// Exit codes: 0 fine, 1 could not start, 2 wrong flags or variables.
///
/// @param about what it is, in a line
/// @param level the setting of the log's level
record ProgramFrame(String name, String about, List<? extends Setting> settings, Setting level) {
    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;
    private static final Flag HELP = Flag.toggle("--help", "Show this text.").orShort("-h");
    private static final Flag VERSION = Flag.toggle("--version", "Show which build this is.");

    /// The work.
    interface ProgramWork {
        /// Begins, and returns what is to be closed at the end.
        ///
        /// @param stop may be wanted by the work itself, with a problem as its reason
        AutoCloseable start(Settings settings, Ending stop);
    }

    /// How work ends by itself.
    interface Ending {
        void failed(Problem reason);
    }

    int run(List<Flag> flags, String[] args, Map<String, String> environment, ProgramWork work)
            throws InterruptedException {
        Settings values;
        try {
            var all = new ArrayList<>(flags);
            all.add(HELP);
            all.add(VERSION);
            var parsed = Arguments.parse(all, args);
            if (parsed.has(HELP)) {
                System.out.print(help(all));
                return 0;
            }
            if (parsed.has(VERSION)) {
                System.out.println(name + " " + BuildInfo.current().text());
                return 0;
            }
            if (!parsed.operands().isEmpty()) {
                throw new ProblemException(Problem.ofInput(
                        "bad-command-line",
                        "what is '" + String.join(" ", parsed.operands()) + "' for?",
                        name + " takes flags only: see " + name + " --help"));
            }
            values = Settings.of(settings, parsed, environment);
            LogSetup.level(values.choice(level, Level.class).name());
        } catch (ProblemException e) {
            return complain(e.problem(), WRONG_USAGE);
        }
        try {
            return serve(values, work);
        } catch (ProblemException e) {
            return complain(e.problem(), e.problem().code().equals("bad-setting") ? WRONG_USAGE : FAILED);
        }
    }

    private int serve(Settings values, ProgramWork work) throws InterruptedException {
        ProcessName.set(name);
        var reason = new AtomicReference<@Nullable Problem>();
        var stop = StopSignal.install();
        AutoCloseable running;
        try {
            running = work.start(values, problem -> {
                reason.compareAndSet(null, problem);
                stop.want();
            });
        } catch (ProblemException e) {
            stop.stopped(FAILED);
            throw e;
        }
        stop.await();
        close(running);
        var why = reason.get();
        var code = why == null ? 0 : complain(why, FAILED);
        stop.stopped(code);
        return code;
    }

    private static void close(AutoCloseable running) {
        try {
            running.close();
        } catch (Exception e) {
            throw new IllegalStateException("closing has a bug", e);
        }
    }

    private int complain(Problem problem, int code) {
        System.err.print(Program.complaint(name, problem));
        return code;
    }

    private String help(List<Flag> flags) {
        return new HelpText()
                .line(about)
                .line("")
                .line("Usage: " + name + " [FLAG ...]")
                .line("")
                .flags(flags)
                .line("")
                .line("Each flag can be set through the environment variable in brackets instead; the flag wins.")
                .toString();
    }
}
