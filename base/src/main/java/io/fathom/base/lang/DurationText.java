// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.lang;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/// Times as people write them in settings: `24h`, `1h30m`, `500ms`.
public final class DurationText {
    private static final Pattern PART = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Pattern WHOLE = Pattern.compile("(\\d{1,9}(ms|s|m|h|d))+");

    private DurationText() {}

    /// Empty for text that is no time.
    public static Optional<Duration> parse(String text) {
        if (!WHOLE.matcher(text).matches()) {
            return Optional.empty();
        }
        var parts = PART.matcher(text);
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
}
