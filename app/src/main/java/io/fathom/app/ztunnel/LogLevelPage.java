// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.app.http.Page;
import io.fathom.app.log.LogLevel;
import java.util.List;

/// Shows and changes how much is logged while the program runs: `POST /logging?level=debug`, `?reset` for what it was
/// at the start. What istioctl's `ztunnel-config log` speaks to.
final class LogLevelPage implements Page {
    private static final List<String> LEVELS = List.of("error", "warn", "info", "debug", "trace", "off");
    private static final String USAGE = """
            usage: POST /logging                  what it is
                   POST /logging?level=<level>    error, warn, info, debug, trace or off
                   POST /logging?reset            what it was at the start
            """;

    private final String atStart;
    private volatile String current;

    LogLevelPage(String atStart) {
        this.atStart = atStart;
        this.current = atStart;
    }

    @Override
    public Reply reply(Query query) {
        if (query.parameter("reset").isPresent()) {
            change(atStart);
        }
        var level = query.parameter("level");
        if (level.isPresent()) {
            if (!LEVELS.contains(level.get())) {
                return Reply.text(400, "'" + level.get() + "' is not a level\n" + USAGE);
            }
            change(level.get());
        }
        return Reply.text("current log level is " + current);
    }

    private void change(String level) {
        LogLevel.set(level);
        current = level;
    }
}
