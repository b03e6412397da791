package io.fathom.wire.kube;

import io.fathom.wire.kube.tree.Field;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/// Durations as Istio's own kinds write them: `1.5s`, `100ms`, `1h30m`.
final class GoDurations {
    private static final String PART = "([0-9]{1,9}(?:\\.[0-9]{1,9})?)(h|ms|us|µs|ns|m|s)";
    private static final Pattern PARTS = Pattern.compile(PART);
    private static final Pattern WHOLE = Pattern.compile("(?:" + PART + ")+");

    private GoDurations() {}

    static Optional<Duration> read(Field field) {
        if (!field.isPresent()) {
            return Optional.empty();
        }
        var text = field.text();
        if (text.equals("0")) {
            return Optional.of(Duration.ZERO);
        }
        if (!WHOLE.matcher(text).matches()) {
            throw field.wrong(
                    "manifest-bad-value",
                    "is \"" + text + "\", which is no duration",
                    "write it like 10s, 500ms or 1h30m");
        }
        var nanos = BigDecimal.ZERO;
        for (var part = PARTS.matcher(text); part.find(); ) {
            nanos = nanos.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(unit(part.group(2)))));
        }
        var seconds = nanos.movePointLeft(9).toBigInteger().longValue();
        return Optional.of(Duration.ofSeconds(
                seconds, nanos.remainder(BigDecimal.valueOf(1_000_000_000)).longValue()));
    }

    private static long unit(String name) {
        return switch (name) {
            case "h" -> 3_600_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "s" -> 1_000_000_000L;
            case "ms" -> 1_000_000L;
            case "ns" -> 1L;
            default -> 1_000L;
        };
    }
}
