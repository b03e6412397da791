package io.fathom.app.fathomd;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Flag;
import io.fathom.tools.args.HelpText;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The values of all [Setting]s for one start, each knowing where it came from so that a complaint can name it.
final class Settings {
    private static final Flag CHECK = Flag.toggle("--check", """
            Start, tell what is served and what is wrong with the manifests, and exit: 0 if nothing is, 1 otherwise.""");
    private static final Flag WELCOME = Flag.toggle("--welcome", "Once ready, tell what is served and where to look.");
    private static final Flag HELP = Flag.toggle("--help", "Show this text.").orShort("-h");
    private static final Flag VERSION =
            Flag.toggle("--version", "Show the version.").orShort("-V");
    private static final List<Flag> FLAGS = Stream.concat(
                    Arrays.stream(Setting.values()).flatMap(setting -> setting.flag().stream()),
                    Stream.of(CHECK, WELCOME, HELP, VERSION))
            .toList();
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Pattern WHOLE_TIME = Pattern.compile("(\\d{1,9}(ms|s|m|h|d))+");

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
    private final Map<String, String> environment;
    private final Mode mode;

    private Settings(Map<Setting, Value> values, Map<String, String> environment, Mode mode) {
        this.values = values;
        this.environment = Map.copyOf(environment);
        this.mode = mode;
    }

    static Settings read(String[] args, Map<String, String> environment) {
        var parsed = Arguments.parse(FLAGS, args);
        if (!parsed.operands().isEmpty()) {
            throw new ProblemException(Problem.ofInput(
                    "bad-command-line",
                    "what is '" + String.join(" ", parsed.operands()) + "' for?",
                    "fathomd takes flags only: see fathomd --help"));
        }
        var values = new EnumMap<Setting, Value>(Setting.class);
        for (var setting : Setting.values()) {
            values.put(setting, value(setting, parsed, environment));
        }
        return new Settings(values, environment, mode(parsed));
    }

    /// The text of `--help`.
    static String help() {
        var text = new HelpText()
                .line(
                        "The Fathom control plane: turns Kubernetes manifests into the Workload API and serves it over xDS.")
                .line("")
                .line("Usage: fathomd --manifests DIR [FLAG ...]")
                .line("")
                .flags(FLAGS)
                .line("")
                .line("Each flag can be set through the environment variable in brackets instead; the flag wins.")
                .line("Set through the environment only:")
                .line("");
        for (var setting : Setting.withoutFlag()) {
            text.row(setting.variable() + "=" + setting.label(), explained(setting));
        }
        return text.toString();
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

    /// For parts that have variables of their own.
    Map<String, String> environment() {
        return environment;
    }

    /// A list with commas.
    List<String> words(Setting setting) {
        return Arrays.stream(text(setting).split(",", -1))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
    }

    /// Such as `24h` or `1h30m`.
    Duration time(Setting setting) {
        var value = of(setting);
        var parts = TIME.matcher(value.text());
        if (!WHOLE_TIME.matcher(value.text()).matches()) {
            throw bad(value, "is not a time", "give one like " + setting.fallback());
        }
        var sum = Duration.ZERO;
        while (parts.find()) {
            var number = Long.parseLong(parts.group(1));
            sum = sum.plus(
                    switch (parts.group(2)) {
                        case "ms" -> Duration.ofMillis(number);
                        case "s" -> Duration.ofSeconds(number);
                        case "m" -> Duration.ofMinutes(number);
                        case "h" -> Duration.ofHours(number);
                        default -> Duration.ofDays(number);
                    });
        }
        return sum;
    }

    /// One of a few words: the constants in lower case, with hyphens.
    <E extends Enum<E>> E choice(Setting setting, Class<E> kind) {
        var value = of(setting);
        return Arrays.stream(kind.getEnumConstants())
                .filter(constant -> word(constant).equals(value.text()))
                .findFirst()
                .orElseThrow(() -> bad(
                        value,
                        "is no choice",
                        "give one of "
                                + Arrays.stream(kind.getEnumConstants())
                                        .map(Settings::word)
                                        .collect(Collectors.joining(", "))));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
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
        return number(setting, 0, 65535, "give a port from 0 to 65535; 0 takes any free one");
    }

    int number(Setting setting, int least, int most, String fix) {
        var value = of(setting);
        try {
            var number = Integer.parseInt(value.text());
            if (number >= least && number <= most) {
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

    private static Value value(Setting setting, Arguments parsed, Map<String, String> environment) {
        var flag = setting.flag().flatMap(it -> parsed.value(it).map(value -> new Value(value, it.name())));
        if (flag.isPresent()) {
            return flag.get();
        }
        var fromEnvironment = environment.getOrDefault(setting.variable(), "");
        if (!fromEnvironment.isEmpty()) {
            return new Value(fromEnvironment, "environment variable " + setting.variable());
        }
        return new Value(setting.fallback(), setting.flag().map(Flag::name).orElse(setting.variable()));
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

    private static String explained(Setting setting) {
        return setting.fallback().isEmpty() ? setting.help() : setting.help() + " [default " + setting.fallback() + "]";
    }
}
