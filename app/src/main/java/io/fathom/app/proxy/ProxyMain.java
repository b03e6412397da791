// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.app.BuildInfo;
import io.fathom.app.ProcessName;
import io.fathom.app.StopSignal;
import io.fathom.app.log.LogLevel;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.HelpText;
import io.fathom.tools.args.Program;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/// Runs a companion and its Envoy until it is told to stop, then drains it; or until Envoy ends.
///
/// Exit codes: 0 told to stop, 1 could not start, else Envoy's.
public final class ProxyMain {
    private ProxyMain() {}

    public static void main(String[] args) throws InterruptedException {
        System.exit(run(args, System.getenv()));
    }

    private static int run(String[] args, Map<String, String> environment) throws InterruptedException {
        var command = args.length == 0 ? "help" : args[0];
        return switch (command) {
            case "proxy" -> serve(Arrays.copyOfRange(args, 1, args.length), environment);
            case "version" -> say("fathom-proxy " + BuildInfo.current().text() + "\n");
            case "help", "--help", "-h" -> say(help());
            default -> {
                System.err.println(
                        "fathom-proxy: unknown command '" + command + "'\n  fix: use proxy, version or help");
                yield 1;
            }
        };
    }

    private static int say(String text) {
        System.out.print(text);
        return 0;
    }

    private static int serve(String[] args, Map<String, String> environment) throws InterruptedException {
        try {
            var config = ProxyConfig.parse(args, environment);
            LogLevel.set(config.command().ownLogLevel());
            ProcessName.set("fathom-proxy");
            return serve(Proxy.start(config));
        } catch (ProblemException e) {
            System.err.print(Program.complaint("fathom-proxy", e.problem()));
            return 1;
        }
    }

    private static int serve(Proxy proxy) throws InterruptedException {
        var stop = StopSignal.install();
        var code = new AtomicInteger();
        var _ = proxy.asked().thenRun(stop::want);
        var _ = proxy.ended().thenAccept(exit -> {
            code.compareAndSet(0, stop.isWanted() ? 0 : Math.max(1, exit));
            stop.want();
        });
        stop.await();
        // After a failure there is nothing left to end in good order, and its clients wait for another Envoy.
        if (code.get() == 0) {
            proxy.drain();
            proxy.close();
        }
        stop.stopped(code.get());
        return code.get();
    }

    private static String help() {
        var text = new HelpText()
                .line("The companion of the Envoy in a waypoint or gateway.")
                .line("")
                .line("Usage: fathom-proxy proxy waypoint|router [FLAG ...] | version | help")
                .line("")
                .flags(ProxyCommand.FLAGS)
                .line("")
                .line("Everything else is set through the environment:")
                .line("");
        for (var setting : ProxySetting.values()) {
            text.row(setting.variable() + "=" + setting.label(), setting.helpWithFallback());
        }
        return text.toString();
    }
}
