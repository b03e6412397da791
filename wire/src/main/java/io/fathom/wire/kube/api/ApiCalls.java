// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.wire.http.HttpAnswer;
import io.fathom.wire.http.HttpCall;
import io.fathom.wire.http.HttpLink;
import io.fathom.wire.kube.api.KubeConfig.Token;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.Optional;

/// Calls to one API server, with our token in them. Any thread; each call blocks until its answer was read.
final class ApiCalls implements AutoCloseable {
    static final String JSON = "application/json";

    /// Reads an answer to its end.
    @FunctionalInterface
    interface ApiReading<T> {
        T read(HttpAnswer answer) throws IOException;
    }

    private final KubeConfig config;
    private final KubeSettings settings;
    private final ApiLinks links;
    private final String prefix;

    ApiCalls(KubeConfig config, KubeSettings settings) {
        this.config = config;
        this.settings = settings;
        this.links = new ApiLinks(config, settings);
        var path = config.server().getRawPath();
        this.prefix = path == null || path.equals("/") ? "" : path.replaceAll("/+$", "");
    }

    /// @param accept the form of answer that we take
    /// @param type of the body; empty if there is none
    HttpCall call(String method, String target, String accept, String type, String body) {
        var headers = new HashMap<String, String>();
        headers.put("accept", accept);
        headers.put("user-agent", "fathom");
        if (!type.isEmpty()) {
            headers.put("content-type", type);
        }
        token().ifPresent(token -> headers.put("authorization", "Bearer " + token));
        return new HttpCall(method, prefix + target, config.server().getRawAuthority(), headers, body);
    }

    /// Over a connection that waits, or a new one. One that the server closed while it waited is replaced once, unless
    /// what was asked for may have been done.
    <T> T exchange(HttpCall call, ApiReading<T> reading) throws IOException {
        var waiting = links.waiting();
        if (waiting.isPresent()) {
            var answer = tried(waiting.get(), call);
            if (answer.isPresent()) {
                return read(waiting.get(), answer.get(), reading);
            }
        }
        var link = links.open(settings.answer());
        return read(link, answered(link, call), reading);
    }

    /// Over a connection of its own, which goes on until whoever reads it ends it.
    ///
    /// @param refusal what an answer that is no success means
    WatchStream stream(HttpCall call, Duration lasting, ApiReading<RuntimeException> refusal) throws IOException {
        var link = links.open(lasting.plus(settings.answer()));
        var answer = answered(link, call);
        if (answer.status() != 200) {
            throw read(link, answer, refusal);
        }
        return new WatchStream(answer, () -> links.end(link));
    }

    private Optional<HttpAnswer> tried(HttpLink link, HttpCall call) throws IOException {
        try {
            return Optional.of(answered(link, call));
        } catch (IOException e) {
            if (call.method().equals("POST")) {
                throw e; // it may have been done
            }
            return Optional.empty();
        }
    }

    private HttpAnswer answered(HttpLink link, HttpCall call) throws IOException {
        try {
            return link.call(call);
        } catch (IOException | RuntimeException e) {
            links.end(link);
            throw e;
        }
    }

    private <T> T read(HttpLink link, HttpAnswer answer, ApiReading<T> reading) throws IOException {
        T result;
        try {
            result = reading.read(answer);
        } catch (IOException | RuntimeException e) {
            links.end(link);
            throw e;
        }
        links.giveBack(link);
        return result;
    }

    /// With `instanceof`, like the rest on the plugin's path: the first switch over types costs a start 20 ms.
    private Optional<String> token() {
        if (config.token() instanceof Token.Fixed fixed) {
            return Optional.of(fixed.text());
        }
        return config.token() instanceof Token.File file ? Optional.of(read(file)) : Optional.empty();
    }

    private static String read(Token.File file) {
        try {
            return Files.readString(file.path()).strip();
        } catch (IOException e) {
            throw Kubeconfig.problem(
                    "the token " + file.path() + " cannot be read: " + Kubeconfig.reason(e),
                    "check that it is there and readable");
        }
    }

    /// Ends calls and streams that wait.
    @Override
    public void close() {
        links.close();
    }
}
