package io.fathom.app.fathomd;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import java.util.EnumMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// The values of all [Setting]s for one start, each knowing where it came from so that a complaint can name it.
final class Settings {
    private static final String CHECK = "--check";
    private static final String WELCOME = "--welcome";
    private static final int HELP_WIDTH = 110;

    /// What the command line asks for.
    enum Mode {
        RUN,
        WELCOME,
        CHECK,
        HELP,
        VERSION
    }

    private record Value(String text, String origin) {}

    private final Map<Setting, Value> values;
    private final Mode mode;

    private Settings(Map<Setting, Value> values, Mode mode) {
        this.values = values;
        this.mode = mode;
    }

    static Settings read(String[] args, Map<String, String> environment) {
        var command = command();
        CommandLine.ParseResult parsed;
        try {
            parsed = command.parseArgs(args);
        } catch (ParameterException e) {
            throw new ProblemException(Problem.ofInput("bad-command-line", message(e), "see fathomd --help"));
        }
        var values = new EnumMap<Setting, Value>(Setting.class);
        for (var setting : Setting.values()) {
            values.put(setting, value(setting, parsed, environment));
        }
        return new Settings(values, mode(parsed));
    }

    /// The text of `--help`.
    static String help() {
        return command().getUsageMessage();
    }

    Mode mode() {
        return mode;
    }

    String text(Setting setting) {
        return of(setting).text();
    }

    boolean on(Setting setting) {
        var value = of(setting);
        return switch (value.text()) {
            case "true", "1" -> true;
            case "false", "0" -> false;
            default -> throw bad(value, "is neither true nor false", "give true or false");
        };
    }

    IpBlock block(Setting setting, Ip.Family family) {
        var value = of(setting);
        return IpBlock.parse(value.text())
                .filter(block -> block.address().family() == family)
                .map(IpBlock::masked)
                .orElseThrow(() -> bad(value, "is not such a block", "give one like " + setting.fallback()));
    }

    /// A value that could not be used after all.
    ProblemException bad(Setting setting, String complaint, String fix) {
        return bad(of(setting), complaint, fix);
    }

    int port(Setting setting) {
        var fix = "give a port from 0 to 65535; 0 takes any free one";
        var value = of(setting);
        try {
            var number = Integer.parseInt(value.text());
            if (number >= 0 && number <= 65535) {
                return number;
            }
            throw bad(value, "is out of range", fix);
        } catch (NumberFormatException _) {
            throw bad(value, "is not a number", fix);
        }
    }

    private Value of(Setting setting) {
        var value = values.get(setting);
        if (value == null) {
            throw new IllegalStateException("no value for " + setting);
        }
        return value;
    }

    private static ProblemException bad(Value value, String complaint, String fix) {
        var message = value.text().isEmpty()
                ? "%s: nothing given".formatted(value.origin())
                : "%s: '%s' %s".formatted(value.origin(), value.text(), complaint);
        return new ProblemException(Problem.ofInput("bad-setting", message, fix));
    }

    private static Value value(Setting setting, CommandLine.ParseResult parsed, Map<String, String> environment) {
        if (!setting.flag().isEmpty() && parsed.hasMatchedOption(setting.flag())) {
            return new Value(parsed.matchedOptionValue(setting.flag(), ""), setting.flag());
        }
        var fromEnvironment = environment.getOrDefault(setting.variable(), "");
        if (!fromEnvironment.isEmpty()) {
            return new Value(fromEnvironment, "environment variable " + setting.variable());
        }
        return new Value(setting.fallback(), setting.flag().isEmpty() ? setting.variable() : setting.flag());
    }

    private static Mode mode(CommandLine.ParseResult parsed) {
        if (parsed.hasMatchedOption("--help")) {
            return Mode.HELP;
        }
        if (parsed.hasMatchedOption("--version")) {
            return Mode.VERSION;
        }
        if (parsed.hasMatchedOption(CHECK)) {
            return Mode.CHECK;
        }
        return parsed.hasMatchedOption(WELCOME) ? Mode.WELCOME : Mode.RUN;
    }

    private static String message(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched) {
            var suggestions = unmatched.getSuggestions();
            var hint = suggestions.isEmpty() ? "" : "; did you mean " + String.join(" or ", suggestions) + "?";
            return "unknown: " + String.join(" ", unmatched.getUnmatched()) + hint;
        }
        return String.valueOf(e.getMessage());
    }

    private static CommandLine command() {
        var spec = CommandSpec.create().name("fathomd");
        for (var setting : Setting.withFlag()) {
            spec.addOption(OptionSpec.builder(setting.flag())
                    .paramLabel(setting.label())
                    .type(String.class)
                    .description(description(setting))
                    .build());
        }
        spec.addOption(OptionSpec.builder(CHECK)
                .description("Start, tell what is served and what is wrong with the manifests, and exit: 0 if nothing"
                        + " is, 1 otherwise.")
                .build());
        spec.addOption(OptionSpec.builder(WELCOME)
                .description("Once ready, tell what is served and where to look.")
                .build());
        spec.addOption(OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Show this text.")
                .build());
        spec.addOption(OptionSpec.builder("-V", "--version")
                .versionHelp(true)
                .description("Show the version.")
                .build());
        spec.usageMessage()
                .width(HELP_WIDTH)
                .sortOptions(false)
                .abbreviateSynopsis(true)
                .description("%nThe Fathom control plane: turns Kubernetes manifests into the Workload API and serves"
                        + " it over xDS.%n")
                .footer(footer());
        return new CommandLine(spec).setOverwrittenOptionsAllowed(true); // bin/up puts its own first
    }

    private static String[] description(Setting setting) {
        var fallback = setting.fallback().isEmpty() ? "" : ", default " + setting.fallback();
        return new String[] {setting.help(), "[" + setting.variable() + fallback + "]"};
    }

    private static String[] footer() {
        var text = new StringBuilder("%nEach flag can be set through the environment variable in brackets instead; the"
                + " flag wins.%nSet through the environment only:%n");
        for (var setting : Setting.withoutFlag()) {
            text.append("%n  ").append(setting.variable()).append('=').append(setting.label());
            if (!setting.fallback().isEmpty()) {
                text.append("  (default ").append(setting.fallback()).append(')');
            }
            text.append("%n      ").append(setting.help());
        }
        return new String[] {text.toString()};
    }
}
