// SPDX-License-Identifier: Apache-2.0
package io.fathom.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// What programs that rehearse, so that the JVM remembers their classes, ask of themselves.
public final class RehearsalCalls {
    private static final long PATIENCE = Duration.ofSeconds(20).toNanos();
    private static final long PAUSE = Duration.ofMillis(20).toNanos();

    private RehearsalCalls() {}

    public static void await(BooleanSupplier condition) {
        var end = System.nanoTime() + PATIENCE;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("not ready in time");
            }
            LockSupport.parkNanos(PAUSE);
        }
    }

    /// A page on a port of this machine. As a plain socket: what an HTTP client loads would be kept, too, and nobody
    /// here has a use for it.
    public static String read(int port, String path) {
        return ask("GET", port, path);
    }

    public static String post(int port, String path) {
        return ask("POST", port, path);
    }

    private static String ask(String method, int port, String path) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            var request = method + " " + path
                    + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
