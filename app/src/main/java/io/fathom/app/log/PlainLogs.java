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
    private static volatile Level level = Level.INFO;

    private final Map<String, Logger> loggers = new ConcurrentHashMap<>();
    private final IMarkerFactory markers = new BasicMarkerFactory();

    /// What is less important is not logged.
    static void level(Level least) {
        level = least;
    }

    static boolean isOn(Level asked) {
        return asked.toInt() >= level.toInt();
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
