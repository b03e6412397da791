// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lines with key-values on standard error. In code rather than XML, which would take a sixth of the time to ready.
/// Found by Logback through `META-INF/services`.
@ConfiguratorRank(ConfiguratorRank.CUSTOM_HIGH_PRIORITY)
public final class LogSetup extends ContextAwareBase implements Configurator {
    private static final String PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0} %msg %kvp{NONE}%n";

    @Override
    public ExecutionStatus configure(LoggerContext loggers) {
        var encoder = new PatternLayoutEncoder();
        encoder.setContext(loggers);
        encoder.setPattern(PATTERN);
        encoder.start();
        var appender = new ConsoleAppender<ILoggingEvent>();
        appender.setContext(loggers);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        var root = loggers.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        root.addAppender(appender);
        // What these two have to say about a client that went away is no news to an operator.
        loggers.getLogger("io.grpc").setLevel(Level.WARN);
        loggers.getLogger("io.netty").setLevel(Level.WARN);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /// Changes how much Fathom's own code logs: `error`, `warn`, `info`, `debug` or `trace`.
    public static void level(String name) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext loggers) {
            loggers.getLogger("io.fathom").setLevel(Level.toLevel(name));
        }
    }
}
