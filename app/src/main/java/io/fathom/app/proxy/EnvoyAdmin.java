// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.wire.http.HttpAnswer;
import io.fathom.wire.http.HttpCall;
import io.fathom.wire.http.HttpLink;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/// Envoy's admin port, each call on a connection of its own. Any thread; blocks.
record EnvoyAdmin(int port) {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int MOST_TEXT = 4 << 20;

    /// Deals with an answer before the connection ends.
    interface Reading<T> {
        T read(HttpAnswer answer) throws IOException;
    }

    <T> T get(String target, Reading<T> reading) throws IOException {
        return call("GET", target, reading);
    }

    void post(String target) throws IOException {
        call("POST", target, EnvoyAdmin::text);
    }

    private <T> T call(String method, String target, Reading<T> reading) throws IOException {
        try (var socket = new Socket()) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), (int) PATIENCE.toMillis());
            var link = new HttpLink(socket.getInputStream(), socket.getOutputStream(), socket);
            return reading.read(
                    link.call(new HttpCall(method, target, "localhost", Map.of("connection", "close"), "")));
        }
    }

    private static String text(HttpAnswer answer) throws IOException {
        if (answer.status() != 200) {
            throw new IOException("Envoy answered with status " + answer.status());
        }
        return answer.text(MOST_TEXT);
    }

    /// `LIVE`, or why not: what it says to those who ask whether it is ready.
    String state() throws IOException {
        return get("/ready", answer -> answer.text(MOST_TEXT).strip());
    }

    /// Counters and gauges whose names match, as they are now.
    ///
    /// @param pattern safe in a query
    Map<String, Long> stats(String pattern) throws IOException {
        var text = get("/stats?filter=" + pattern, EnvoyAdmin::text);
        var stats = new HashMap<String, Long>();
        text.lines().forEach(line -> {
            var colon = line.lastIndexOf(": ");
            if (colon > 0) {
                try {
                    stats.put(line.substring(0, colon), Long.parseLong(line.substring(colon + 2)));
                } catch (NumberFormatException _) {
                    // a histogram or a text: not asked for
                }
            }
        });
        return stats;
    }
}
