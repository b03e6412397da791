// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.lab;

import io.fathom.base.testkit.TestNamespace;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// A node proxy that was started. Closing asks it to stop and waits, longer than it may take to drain.
public final class RunningProxy implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final String name;
    private final Process process;
    private final TestNamespace node;
    private final Supplier<String> log;

    RunningProxy(String name, Process process, TestNamespace node, Supplier<String> log) {
        this.name = name;
        this.process = process;
        this.node = node;
        this.log = log;
    }

    /// What it answers on a port of its own: 15000, 15020 or 15021.
    public String get(int port, String path) {
        return node.run("curl", "-sS", "--max-time", "5", "http://127.0.0.1:" + port + path);
    }

    /// The same, packed on the way.
    public String getPacked(int port, String path) {
        return node.run("curl", "-sS", "--compressed", "--fail", "--max-time", "5", "http://127.0.0.1:" + port + path);
    }

    public String post(int port, String path) {
        return node.run("curl", "-sS", "--max-time", "5", "-X", "POST", "http://127.0.0.1:" + port + path);
    }

    /// False if it still runs then.
    public boolean awaitEnd(Duration patience) throws InterruptedException {
        return process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// What it ended with.
    public int exitCode() {
        return process.exitValue();
    }

    boolean isReady() {
        try {
            return get(15021, "/healthz/ready").startsWith("ready");
        } catch (IllegalStateException notYet) {
            return false;
        }
    }

    public long pid() {
        return process.pid();
    }

    /// In an instant, as by `kill -9`.
    public void kill() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// The end of what it logged.
    public String log() {
        return log.get();
    }

    String complaint(String what) {
        return name + " " + what + ":\n" + log.get();
    }

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
