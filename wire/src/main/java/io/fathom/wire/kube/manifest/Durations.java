// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import io.fathom.wire.kube.tree.Field;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/// Durations as the Gateway API writes them, `1h30m`, `500ms`, and as Istio does: `1.5s`, too.
public final class Durations {
    private static final Pattern WHOLE = Pattern.compile("([0-9]{1,5}(h|m|s|ms)){1,4}");
    private static final Pattern PART = Pattern.compile("([0-9]{1,5})(h|ms|m|s)");

    private static final Pattern DECIMALS = Pattern.compile("([0-9]{1,9}(\\.[0-9]{1,9})?(h|m|s|ms|us|µs|ns)){1,7}");
    private static final Pattern DECIMAL = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(h|ms|m|s|us|µs|ns)");

    private Durations() {}

    /// As Istio writes them. No sign: none of its fields means anything with one.
    public static Optional<Duration> decimal(Field field) {
        if (!field.isPresent()) {
            return Optional.empty();
        }
        var text = field.text();
        if (text.equals("0")) {
            return Optional.of(Duration.ZERO);
        }
        if (!DECIMALS.matcher(text).matches()) {
            throw field.wrong(
                    "manifest-bad-value",
                    "is \"" + text + "\", which is no duration",
                    "write it like 10s, 0.5s or 1h30m");
        }
        var sum = Duration.ZERO;
        for (var part = DECIMAL.matcher(text); part.find(); ) {
            var unit = switch (part.group(2)) {
                case "h" -> Duration.ofHours(1);
                case "m" -> Duration.ofMinutes(1);
                case "s" -> Duration.ofSeconds(1);
                case "ms" -> Duration.ofMillis(1);
                case "us", "µs" -> Duration.ofNanos(1000);
                default -> Duration.ofNanos(1);
            };
            var nanos = new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(unit.toNanos()));
            sum = sum.plusNanos(nanos.longValue());
        }
        return Optional.of(sum);
    }

    public static Optional<Duration> read(Field field) {
        if (!field.isPresent()) {
            return Optional.empty();
        }
        var text = field.text();
        if (!WHOLE.matcher(text).matches()) {
            throw field.wrong(
                    "manifest-bad-value",
                    "is \"" + text + "\", which is no duration",
                    "write it like 10s, 500ms or 1h30m");
        }
        var sum = Duration.ZERO;
        for (var part = PART.matcher(text); part.find(); ) {
            var number = Long.parseLong(part.group(1));
            sum = sum.plus(
                    switch (part.group(2)) {
                        case "h" -> Duration.ofHours(number);
                        case "m" -> Duration.ofMinutes(number);
                        case "s" -> Duration.ofSeconds(number);
                        default -> Duration.ofMillis(number);
                    });
        }
        return Optional.of(sum);
    }
}
