// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.log;

import java.util.Locale;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// How much a program logs, whatever does the logging. Apart from [LogSetup], so that a program which goes without that
/// library does not load it for this.
public final class LogLevel {
    private LogLevel() {}

    /// One of `error`, `warn`, `info`, `debug`, `trace` or `off`; anything else changes nothing.
    public static void set(String name) {
        if (!(LoggerFactory.getILoggerFactory() instanceof PlainLogs)) {
            LogSetup.level(name);
        } else if (name.equals("off")) {
            PlainLogs.off();
        } else {
            for (var level : Level.values()) {
                if (level.name().toLowerCase(Locale.ROOT).equals(name)) {
                    PlainLogs.level(level);
                }
            }
        }
    }
}
