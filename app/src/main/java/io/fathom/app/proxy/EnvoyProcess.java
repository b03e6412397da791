// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Envoy itself, which writes to our own standard output and error. It is not started again: whoever looks after us
/// does that, with both of us afresh.
final class EnvoyProcess implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EnvoyProcess.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Process process;

    private EnvoyProcess(Process process) {
        this.process = process;
    }

    /// Writes its bootstrap and starts it.
    ///
    /// @throws ProblemException when one of them cannot be
    static EnvoyProcess start(ProxyConfig config) {
        try {
            Files.createDirectories(config.envoy().folder());
            Files.writeString(config.bootstrap(), EnvoyBootstrap.of(config));
            Files.setPosixFilePermissions(config.bootstrap(), PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            throw problem("bootstrap-not-written", config.bootstrap() + " cannot be written: " + e, "make it writable");
        }
        try {
            var process = new ProcessBuilder(command(config)).inheritIO().start();
            log.atInfo()
                    .addKeyValue("pid", process.pid())
                    .addKeyValue("program", config.envoy().binary())
                    .log("Envoy started");
            return new EnvoyProcess(process);
        } catch (IOException e) {
            throw problem(
                    "envoy-not-started",
                    "Envoy cannot be started: " + e.getMessage(),
                    "install it, and name it with FATHOM_ENVOY or binaryPath in PROXY_CONFIG");
        }
    }

    static List<String> command(ProxyConfig config) {
        var command = new ArrayList<>(List.of(
                config.envoy().binary().toString(),
                "-c",
                config.bootstrap().toString(),
                "--drain-time-s",
                "45",
                "--drain-strategy",
                "immediate",
                "--file-flush-interval-msec", // as upstream's: access logs are read by people who wait for them
                "1000",
                "--disable-hot-restart",
                "--allow-unknown-static-fields",
                "--local-address-ip-version",
                config.ipv6() ? "v6" : "v4",
                "--log-format",
                "%Y-%m-%dT%T.%eZ\t%l\tenvoy %n %g:%#\t%v",
                "--log-level",
                config.command().logLevel(),
                "--component-log-level",
                config.command().componentLogLevel()));
        config.envoy().concurrency().ifPresent(workers -> command.addAll(List.of("--concurrency", workers)));
        return command;
    }

    private static ProblemException problem(String code, String message, String fix) {
        return new ProblemException(Problem.ofInput(code, message, fix));
    }

    long pid() {
        return process.pid();
    }

    /// Done with its exit code when it has ended, for whatever reason.
    CompletableFuture<Integer> ended() {
        return process.onExit().thenApply(Process::exitValue);
    }

    /// Ends it.
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
