// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.settings;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpBlock;
import io.fathom.tools.args.Arguments;
import io.fathom.tools.args.Flag;
import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The values of all [Setting]s for one start, each knowing where it came from so that a complaint can name it. A flag
/// wins over the environment, which wins over the default.
public final class Settings {
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Pattern WHOLE_TIME = Pattern.compile("(\\d{1,9}(ms|s|m|h|d))+");

    private record Value(String text, String origin) {}

    private final Map<Setting, Value> values;
    private final Map<String, String> environment;

    private Settings(Map<Setting, Value> values, Map<String, String> environment) {
        this.values = values;
        this.environment = Map.copyOf(environment);
    }

    public static Settings of(List<? extends Setting> all, Arguments parsed, Map<String, String> environment) {
        var values = new HashMap<Setting, Value>();
        for (var setting : all) {
            values.put(setting, value(setting, parsed, environment));
        }
        return new Settings(values, environment);
    }

    public String text(Setting setting) {
        return of(setting).text();
    }

    public boolean on(Setting setting) {
        var value = of(setting);
        return switch (value.text()) {
            case "true", "1" -> true;
            case "false", "0" -> false;
            default -> throw bad(value, "is neither true nor false", "give true or false");
        };
    }

    /// For parts that have variables of their own.
    public Map<String, String> environment() {
        return environment;
    }

    /// A list with commas.
    public List<String> words(Setting setting) {
        return Arrays.stream(text(setting).split(",", -1))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
    }

    /// Such as `24h` or `1h30m`.
    public Duration time(Setting setting) {
        var value = of(setting);
        return time(value.text()).orElseThrow(() -> bad(value, "is not a time", "give one like " + setting.fallback()));
    }

    /// Empty for text that is no time.
    public static Optional<Duration> time(String text) {
        if (!WHOLE_TIME.matcher(text).matches()) {
            return Optional.empty();
        }
        var parts = TIME.matcher(text);
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
        return Optional.of(sum);
    }

    /// One of a few words: the constants in lower case, with hyphens.
    public <E extends Enum<E>> E choice(Setting setting, Class<E> kind) {
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

    /// What all TLS is kept to, of a setting `COMPLIANCE_POLICY`.
    public KeyExchange keyExchange(Setting setting) {
        var value = of(setting);
        return Arrays.stream(KeyExchange.values())
                .filter(exchange -> exchange.compliance().equals(value.text()))
                .findFirst()
                .orElseThrow(() -> bad(value, "is no policy", "give pqc or fips-140-2"));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public IpBlock block(Setting setting, Ip.Family family) {
        var value = of(setting);
        return IpBlock.parse(value.text())
                .filter(block -> block.address().family() == family)
                .map(IpBlock::masked)
                .orElseThrow(() -> bad(value, "is not such a block", "give one like " + setting.fallback()));
    }

    /// A value that could not be used after all.
    public ProblemException bad(Setting setting, String complaint, String fix) {
        return bad(of(setting), complaint, fix);
    }

    public int port(Setting setting) {
        return number(setting, 0, 65535, "give a port from 0 to 65535; 0 takes any free one");
    }

    public int number(Setting setting, int least, int most, String fix) {
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
        var flag = setting.flag().flatMap(it -> value(setting, parsed, it).map(value -> new Value(value, it.name())));
        if (flag.isPresent()) {
            return flag.get();
        }
        var fromEnvironment = environment.getOrDefault(setting.variable(), "");
        if (!fromEnvironment.isEmpty()) {
            return new Value(fromEnvironment, "environment variable " + setting.variable());
        }
        return new Value(setting.fallback(), setting.flag().map(Flag::name).orElse(setting.variable()));
    }

    private static Optional<String> value(Setting setting, Arguments parsed, Flag flag) {
        return setting.isRepeatable() && parsed.has(flag)
                ? Optional.of(String.join(",", parsed.all(flag)))
                : parsed.value(flag);
    }
}
