// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/// Answers as it was told, in turn: calls with `watch=1` from one script, all others from another. Streamed lists have
/// a script of their own, and are refused when it is empty, as servers do that do not know them.
final class ScriptedApiServer implements AutoCloseable {
    /// What to do with a call.
    interface Step {
        void play(HttpExchange exchange) throws IOException, InterruptedException;
    }

    /// A call as it came.
    record Asked(String method, String target, String token, String type, String accept, String body, int port) {}

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch end = new CountDownLatch(1);
    final BlockingQueue<Step> answers = new LinkedBlockingQueue<>();
    final BlockingQueue<Step> watches = new LinkedBlockingQueue<>();
    final Queue<Step> streamedLists = new ConcurrentLinkedQueue<>();
    final List<Asked> asked = new CopyOnWriteArrayList<>();

    ScriptedApiServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    KubeConfig config() {
        return KubeConfig.plain(address());
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /// The queries of the watches so far.
    List<String> watchVersions() {
        return asked.stream()
                .map(Asked::target)
                .filter(target -> target.contains("watch=1"))
                .map(target -> target.replaceAll(".*[?&]resourceVersion=([^&]*).*", "$1"))
                .toList();
    }

    static Step answer(int status, String body) {
        return exchange -> {
            var bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        };
    }

    /// Events, then the end of the watch.
    static Step events(String... lines) {
        return exchange -> {
            exchange.sendResponseHeaders(200, 0);
            for (var line : lines) {
                exchange.getResponseBody().write((line + "\n").getBytes(StandardCharsets.UTF_8));
                exchange.getResponseBody().flush();
            }
        };
    }

    /// Events, then silence.
    Step openEvents(String... lines) {
        return exchange -> {
            events(lines).play(exchange);
            exchange.getResponseBody().flush();
            end.await();
        };
    }

    static String pod(String name, String uid, int version) {
        return "{\"metadata\":{\"namespace\":\"shop\",\"name\":\"%s\",\"uid\":\"%s\",\"resourceVersion\":\"%d\"}}"
                .formatted(name, uid, version);
    }

    static String event(String type, String object) {
        return "{\"type\":\"%s\",\"object\":%s}".formatted(type, object);
    }

    static String pods(int version, String next, String... pods) {
        return "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%d\",\"continue\":\"%s\"},\"items\":[%s]}"
                .formatted(version, next, String.join(",", pods));
    }

    static String status(int code, String reason, String message) {
        return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":%d,\"reason\":\"%s\",\"message\":\"%s\"}"
                .formatted(code, reason, message);
    }

    /// The bookmark at the end of a streamed list.
    static String initialEnd(int version) {
        return event(
                "BOOKMARK",
                "{\"metadata\":{\"resourceVersion\":\"%d\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}"
                        .formatted(version));
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var headers = exchange.getRequestHeaders();
            var target = exchange.getRequestURI().toString();
            if (target.contains("sendInitialEvents")) {
                var step = streamedLists.poll();
                var play = step == null ? answer(422, status(422, "Invalid", "sendInitialEvents is forbidden")) : step;
                play.play(exchange);
                return;
            }
            asked.add(new Asked(
                    exchange.getRequestMethod(),
                    target,
                    String.valueOf(headers.getFirst("authorization")),
                    String.valueOf(headers.getFirst("content-type")),
                    String.valueOf(headers.getFirst("accept")),
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
                    exchange.getRemoteAddress().getPort()));
            (target.contains("watch=1") ? watches : answers).take().play(exchange);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        end.countDown();
        threads.shutdownNow();
        server.stop(0);
    }
}
