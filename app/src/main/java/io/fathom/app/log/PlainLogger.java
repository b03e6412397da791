// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.log;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

/// One name of [PlainLogs]. Any thread; a line is written at once.
final class PlainLogger extends LegacyAbstractLogger implements LoggingEventAware {
    private static final long serialVersionUID = 1;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", Locale.ROOT)
            .withZone(ZoneId.systemDefault());

    private final String shortName;

    PlainLogger(String name) {
        this.name = name;
        this.shortName = name.substring(name.lastIndexOf('.') + 1);
    }

    @Override
    public void log(LoggingEvent event) {
        if (PlainLogs.isOn(name, event.getLevel())) {
            var message = MessageFormatter.basicArrayFormat(event.getMessage(), event.getArgumentArray());
            write(event.getLevel(), message, event.getKeyValuePairs(), event.getThrowable());
        }
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String pattern,
            Object @Nullable [] arguments,
            @Nullable Throwable cause) {
        write(level, MessageFormatter.basicArrayFormat(pattern, arguments), List.of(), cause);
    }

    private void write(
            Level level, @Nullable String message, @Nullable List<KeyValuePair> pairs, @Nullable Throwable cause) {
        write(System.err, line(InstantSource.system().instant(), level, shortName, message, pairs, cause));
    }

    private static synchronized void write(PrintStream out, String line) {
        out.print(line);
        out.flush();
    }

    static String line(
            Instant time,
            Level level,
            String name,
            @Nullable String message,
            @Nullable List<KeyValuePair> pairs,
            @Nullable Throwable cause) {
        var line = new StringBuilder(160)
                .append(TIME.format(time))
                .append(' ')
                .append(level)
                .append(" ".repeat(6 - level.name().length()))
                .append(name)
                .append(' ')
                .append(message)
                .append(' ');
        if (pairs != null) {
            var separator = "";
            for (var pair : pairs) {
                line.append(separator).append(pair.key).append('=').append(pair.value);
                separator = " ";
            }
        }
        line.append('\n');
        if (cause != null) {
            var text = new StringWriter();
            cause.printStackTrace(new PrintWriter(text, true));
            line.append(text);
        }
        return line.toString();
    }

    @Override
    protected String getFullyQualifiedCallerName() {
        return PlainLogger.class.getName();
    }

    @Override
    public boolean isTraceEnabled() {
        return PlainLogs.isOn(name, Level.TRACE);
    }

    @Override
    public boolean isDebugEnabled() {
        return PlainLogs.isOn(name, Level.DEBUG);
    }

    @Override
    public boolean isInfoEnabled() {
        return PlainLogs.isOn(name, Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return PlainLogs.isOn(name, Level.WARN);
    }

    @Override
    public boolean isErrorEnabled() {
        return PlainLogs.isOn(name, Level.ERROR);
    }
}
