package io.fathom.wire.kube;

import io.fathom.wire.kube.tree.Field;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/// Durations as the Gateway API writes them: `1h30m`, `500ms`.
final class Durations {
    private static final Pattern WHOLE = Pattern.compile("([0-9]{1,5}(h|m|s|ms)){1,4}");
    private static final Pattern PART = Pattern.compile("([0-9]{1,5})(h|ms|m|s)");

    private Durations() {}

    static Optional<Duration> read(Field field) {
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
