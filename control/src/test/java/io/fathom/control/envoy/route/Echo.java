// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// An application that answers with what it saw, one `name: value` per line.
///
/// Requests can ask it to misbehave: the first `x-fail-first` requests with the same `x-id` get the status
/// `x-fail-with`,
/// or are answered only after `x-late` milliseconds.
final class Echo implements AutoCloseable {
    private final String name;
    private final HttpServer server;
    private final AtomicInteger requests = new AtomicInteger();
    private final Map<String, AtomicInteger> attempts = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    private Echo(String name, HttpServer server) {
        this.name = name;
        this.server = server;
    }

    static Echo start(String name) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        var echo = new Echo(name, server);
        server.createContext("/", echo::answer);
        server.start();
        return echo;
    }

    int port() {
        return server.getAddress().getPort();
    }

    /// How many came.
    int requests() {
        return requests.get();
    }

    private void answer(HttpExchange exchange) throws IOException {
        requests.incrementAndGet();
        var headers = exchange.getRequestHeaders();
        exchange.getRequestBody().readAllBytes();
        var id = headers.getFirst("x-id");
        var attempt = id == null
                ? 1
                : attempts.computeIfAbsent(id, _ -> new AtomicInteger()).incrementAndGet();
        var misbehaves = attempt <= number(headers.getFirst("x-fail-first"));
        if (misbehaves && headers.containsKey("x-late")) {
            await(number(headers.getFirst("x-late")));
        }
        var status = misbehaves && headers.containsKey("x-fail-with") ? number(headers.getFirst("x-fail-with")) : 200;
        var text = new StringBuilder("backend: " + name + "\nmethod: " + exchange.getRequestMethod() + "\npath: "
                + exchange.getRequestURI() + "\nattempt: " + attempt + "\n");
        headers.forEach((key, values) -> text.append(key.toLowerCase(Locale.ROOT))
                .append(": ")
                .append(String.join(",", values))
                .append('\n'));
        var body = text.toString().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("x-backend", name);
        exchange.getResponseHeaders().set("x-internal", "secret");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void await(int milliseconds) {
        try {
            var _ = closed.await(milliseconds, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int number(@Nullable String text) {
        return text == null ? 0 : Integer.parseInt(text);
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
    }
}
