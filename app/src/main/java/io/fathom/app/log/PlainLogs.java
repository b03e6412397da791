// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.log;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/// Logging for programs that must be small: the same lines on standard error as [LogSetup] gives, without a library.
/// Chosen with `-Dslf4j.provider=io.fathom.app.log.PlainLogs`, which also spares a search of all jars.
public final class PlainLogs implements SLF4JServiceProvider, ILoggerFactory {
    private static final int NOTHING = Integer.MAX_VALUE;
    private static final String OURS = "io.fathom.";

    private static volatile int least = Level.INFO.toInt();

    private final Map<String, Logger> loggers = new ConcurrentHashMap<>();
    private final IMarkerFactory markers = new BasicMarkerFactory();

    /// What is less important is not logged.
    static void level(Level level) {
        least = level.toInt();
    }

    static void off() {
        least = NOTHING;
    }

    /// Of libraries only what is wrong: what they have to say about a client that went away is no news to an operator.
    static boolean isOn(String name, Level asked) {
        return asked.toInt() >= (name.startsWith(OURS) ? least : Math.max(least, Level.WARN.toInt()));
    }

    @Override
    public Logger getLogger(String name) {
        return loggers.computeIfAbsent(name, PlainLogger::new);
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return this;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return new NOPMDCAdapter();
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {}
}
