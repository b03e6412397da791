// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.app.BuildInfo;
import io.fathom.app.ProcessName;
import io.fathom.app.StopSignal;
import io.fathom.app.log.LogLevel;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.HelpText;
import io.fathom.tools.args.Program;
import java.util.Map;

/// Runs a node proxy until it is told to stop, then drains it.
///
/// Exit codes: 0 fine, 1 could not start or go on.
public final class ZtunnelMain {
    private ZtunnelMain() {}

    public static void main(String[] args) throws InterruptedException {
        System.exit(run(args.length == 0 ? "proxy" : args[0], System.getenv()));
    }

    private static int run(String command, Map<String, String> environment) throws InterruptedException {
        return switch (command) {
            case "proxy" -> serve(environment);
            case "version" -> say("ztunnel " + BuildInfo.current().text() + "\n");
            case "help", "--help", "-h" -> say(help());
            default -> {
                System.err.println("ztunnel: unknown command '" + command + "'\n  fix: use proxy, version or help");
                yield 1;
            }
        };
    }

    private static int say(String text) {
        System.out.print(text);
        return 0;
    }

    private static int serve(Map<String, String> environment) throws InterruptedException {
        try {
            var config = ZtunnelConfig.parse(environment, Runtime.getRuntime().availableProcessors());
            LogLevel.set(config.process().logging().level());
            ProcessName.set("ztunnel");
            var ztunnel = Ztunnel.start(config);
            var stop = StopSignal.install();
            var _ = ztunnel.asked().thenRun(stop::want);
            stop.await();
            ztunnel.drain();
            ztunnel.close();
            stop.stopped(0);
            return 0;
        } catch (ProblemException e) {
            System.err.print(Program.complaint("ztunnel", e.problem()));
            return 1;
        }
    }

    private static String help() {
        var text = new HelpText()
                .line("The node proxy: carries the traffic of the pods on a node over mutual TLS.")
                .line("")
                .line("Usage: ztunnel [proxy | version | help]")
                .line("")
                .line("Everything is set through the environment:")
                .line("");
        for (var setting : ZtunnelSetting.values()) {
            text.row(setting.variable() + "=" + setting.label(), setting.helpWithFallback());
        }
        return text.toString();
    }
}
