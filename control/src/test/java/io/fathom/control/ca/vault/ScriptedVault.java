// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fathom.wire.pki.Pem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Function;

/// Speaks as much of Vault's HTTP API as fathomd uses, and misbehaves on demand. For what a real Vault cannot be made
/// to do, and for time that is moved by hand.
public final class ScriptedVault implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    public record Call(String path, String token, String namespace, JsonNode body) {}

    public record Reply(int status, String body) {
        public static Reply of(int status, Object body) {
            try {
                return new Reply(status, JSON.writeValueAsString(body));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        static Reply error(int status, String... errors) {
            return of(status, Map.of("errors", List.of(errors)));
        }
    }

    private final HttpServer server;
    private final InstantSource clock;
    private final Map<String, Function<Call, Reply>> script = new ConcurrentHashMap<>();
    final List<Call> calls = new CopyOnWriteArrayList<>();

    public ScriptedVault(InstantSource clock) {
        this.clock = clock;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/v1/", this::handle);
        server.start();
        on("sys/health", _ -> Reply.of(200, Map.of("sealed", false)));
        on("auth/token/lookup-self", _ -> Reply.of(200, Map.of("data", Map.of("ttl", 0, "renewable", false))));
    }

    public URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /// What to answer from now on to requests for a path below `/v1/`.
    public void on(String path, Function<Call, Reply> answer) {
        script.put(path, answer);
    }

    /// Signs what it is sent, for as long as it is asked to but not beyond the end of the authority.
    public void signWith(TestCa authority) {
        on("pki/root/sign-intermediate", call -> signed(authority, call));
    }

    Reply signed(TestCa authority, Call call) {
        var now = clock.instant();
        var ttl = Duration.parse("PT" + call.body().path("ttl").asText());
        var end = earlier(now.plus(ttl), authority.certificate().getNotAfter().toInstant());
        var certificate = authority.authority(
                call.body().path("common_name").asText() + ",O="
                        + call.body().path("organization").asText(),
                TestCa.keyOf(call.body().path("csr").asText()),
                OptionalInt.of(0),
                now.minusSeconds(30),
                end);
        var ca = Pem.encode(authority.certificate());
        return Reply.of(
                200,
                Map.of(
                        "data",
                        Map.of("certificate", Pem.encode(certificate), "issuing_ca", ca, "ca_chain", List.of(ca))));
    }

    public long count(String path) {
        return calls.stream().filter(call -> call.path().equals(path)).count();
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var path = exchange.getRequestURI().getPath().substring("/v1/".length());
            var sent = exchange.getRequestBody().readAllBytes();
            var call = new Call(
                    path,
                    header(exchange, "X-Vault-Token"),
                    header(exchange, "X-Vault-Namespace"),
                    JSON.readTree(sent.length == 0 ? new byte[] {'{', '}'} : sent));
            calls.add(call);
            var reply = script.getOrDefault(path, _ -> Reply.error(404, "no handler for route \"" + path + "\""))
                    .apply(call);
            var body = reply.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(reply.status(), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static String header(HttpExchange exchange, String name) {
        var value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }
}
