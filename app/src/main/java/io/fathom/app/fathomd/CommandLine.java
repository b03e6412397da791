// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.settings.Settings;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Flag;
import io.fathom.tools.args.HelpText;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// What fathomd was told to do, and how.
record CommandLine(Mode mode, Settings settings) {
    private static final Flag CHECK = Flag.toggle("--check", """
            Start, tell what is served and what is wrong with the manifests, and exit: 0 if nothing is, 1 otherwise.""");
    private static final Flag WELCOME = Flag.toggle("--welcome", "Once ready, tell what is served and where to look.");
    private static final Flag HELP = Flag.toggle("--help", "Show this text.").orShort("-h");
    private static final Flag VERSION =
            Flag.toggle("--version", "Show the version.").orShort("-V");
    private static final List<Flag> FLAGS = Stream.concat(
                    Arrays.stream(FathomdSetting.values()).flatMap(setting -> setting.flag().stream()),
                    Stream.of(CHECK, WELCOME, HELP, VERSION))
            .toList();

    /// What the command line asks for.
    enum Mode {
        RUN,
        WELCOME,
        CHECK,
        HELP,
        VERSION
    }

    static CommandLine read(String[] args, Map<String, String> environment) {
        var parsed = Arguments.parse(FLAGS, args);
        if (!parsed.operands().isEmpty()) {
            throw new ProblemException(Problem.ofInput(
                    "bad-command-line",
                    "what is '" + String.join(" ", parsed.operands()) + "' for?",
                    "fathomd takes flags only: see fathomd --help"));
        }
        return new CommandLine(mode(parsed), Settings.of(List.of(FathomdSetting.values()), parsed, environment));
    }

    /// The text of `--help`.
    static String help() {
        var text = new HelpText()
                .line(
                        "The Fathom control plane: turns Kubernetes manifests into the Workload API and serves it over xDS.")
                .line("")
                .line("Usage: fathomd [--manifests DIR | --kubeconfig FILE] [FLAG ...]")
                .line("       fathomd ca-helper --help      keeps the certificates of other control planes fresh")
                .line("")
                .flags(FLAGS)
                .line("")
                .line("Each flag can be set through the environment variable in brackets instead; the flag wins.")
                .line("Set through the environment only:")
                .line("");
        for (var setting : FathomdSetting.withoutFlag()) {
            text.row(setting.variable() + "=" + setting.label(), setting.helpWithFallback());
        }
        return text.toString();
    }

    private static Mode mode(Arguments parsed) {
        if (parsed.has(HELP)) {
            return Mode.HELP;
        }
        if (parsed.has(VERSION)) {
            return Mode.VERSION;
        }
        if (parsed.has(CHECK)) {
            return Mode.CHECK;
        }
        return parsed.has(WELCOME) ? Mode.WELCOME : Mode.RUN;
    }
}
