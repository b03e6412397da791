// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/// Writes times as `2026-11-16T02:03:04.005006Z`. Lines come in bursts, so the text of the last second is kept. For one
/// thread.
final class TimeText {
    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.").withZone(ZoneOffset.UTC);
    private static final int MICROS = 1_000_000;
    private static final int NANOS_PER_MICRO = 1000;

    private long second = Long.MIN_VALUE;
    private String text = "";

    void write(StringBuilder line, Instant time) {
        if (time.getEpochSecond() != second) {
            second = time.getEpochSecond();
            text = SECONDS.format(time);
        }
        line.append(text);
        var micros = time.getNano() / NANOS_PER_MICRO;
        for (int digit = MICROS / 10; digit > 0; digit /= 10) {
            line.append((char) ('0' + micros / digit % 10));
        }
        line.append('Z');
    }
}
