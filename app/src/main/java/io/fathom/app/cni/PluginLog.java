// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// Where the plugin, which has no log that anybody reads, says what it did: a list of texts, each of which is an object
/// with `level`, `time` and `msg`.
final class PluginLog implements UnixHttpServer.Handler {
    private static final Logger log = LoggerFactory.getLogger("io.fathom.cni.plugin");

    @Override
    public UnixHttpServer.UnixReply reply(UnixHttpServer.UnixRequest request, CompletableFuture<Void> gone) {
        if (!request.path().equals("/log") || !request.method().equals("POST")) {
            return new UnixHttpServer.UnixReply(404, "there is only POST /log");
        }
        try {
            for (var line : root(request.body()).texts()) {
                line(line);
            }
            return new UnixHttpServer.UnixReply(200, "");
        } catch (MisreadException e) {
            return new UnixHttpServer.UnixReply(400, String.valueOf(e.getMessage()));
        }
    }

    private static void line(String line) {
        var entry = root(line);
        log.atLevel(level(entry.at("level").text())).log("{}", entry.at("msg").text());
    }

    private static Level level(String word) {
        return switch (word) {
            case "error", "fatal" -> Level.ERROR;
            case "warn" -> Level.WARN;
            case "debug" -> Level.DEBUG;
            default -> Level.INFO;
        };
    }

    private static Field root(String text) {
        List<Document> documents = Documents.ofJson("log line", text, Limits.DEFAULT);
        return switch (documents.isEmpty() ? null : documents.getFirst()) {
            case Document.Parsed parsed -> Field.root(parsed.root());
            case Document.Broken broken -> throw broken.cause();
            case null -> throw new IllegalArgumentException("no JSON");
        };
    }
}
