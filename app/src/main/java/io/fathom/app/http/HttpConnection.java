// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import io.fathom.wire.http.HeadReader;
import io.fathom.wire.http.HttpStatus;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connection: answers its requests one after the other on the calling thread.
final class HttpConnection {
    private static final Logger log = LoggerFactory.getLogger(HttpConnection.class);
    private static final int BUFFER = 16 * 1024;

    private final HeadReader in;
    private final OutputStream out;
    private final Pages pages;
    private final HttpVisit visit;
    private final boolean fromLoopback;

    /// @param visit told what goes on
    HttpConnection(InputStream in, OutputStream out, Pages pages, HttpVisit visit, boolean fromLoopback) {
        this.in = reader(in);
        this.visit = visit;
        this.out = new BufferedOutputStream(out, BUFFER);
        this.pages = pages;
        this.fromLoopback = fromLoopback;
    }

    static HeadReader reader(InputStream in) {
        return new HeadReader(in, HttpRequest.MOST_HEAD);
    }

    /// Returns at the end of what comes, or before it when the connection is to be closed.
    HttpRequest.AfterReply serve() throws IOException {
        try {
            while (in.awaitMore()) {
                visit.enter(HttpVisit.VisitPhase.READING, System.nanoTime());
                var head = HttpRequest.read(in);
                var entry = pages.at(head.path());
                var longest = entry.map(Pages.PageEntry::longestBody).orElse(0);
                var body = longest > 0 ? head.body(in, longest) : "";
                var request = longest == 0 && head.hasBody() ? head.last() : head;
                visit.enter(HttpVisit.VisitPhase.ANSWERING, System.nanoTime());
                send(request, answer(request, entry, body));
                if (request.afterReply() == HttpRequest.AfterReply.CLOSE) {
                    return HttpRequest.AfterReply.CLOSE;
                }
                visit.enter(HttpVisit.VisitPhase.IDLE, System.nanoTime());
            }
            return HttpRequest.AfterReply.KEEP;
        } catch (HttpRequest.Refused e) {
            head(e.status(), "text/plain; charset=utf-8", "Connection: close\r\n");
            out.write((e.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
            return HttpRequest.AfterReply.CLOSE;
        }
    }

    private Page.Reply answer(HttpRequest request, Optional<Pages.PageEntry> entry, String body) {
        if (entry.isEmpty()) {
            return Page.Reply.text(404, "404 page not found");
        }
        if (!methods(entry.get().method()).contains(request.method())) {
            return new Page.Reply.WrongMethod(entry.get().method());
        }
        if (entry.get().access() == Pages.Access.LOOPBACK && !fromLoopback) {
            return Page.Reply.text(403, """
                    Debug pages answer only requests from this machine (loopback), because clients of this port cannot \
                    authenticate yet. Forward the port: kubectl port-forward, or ssh -L.""");
        }
        try {
            return entry.get().page().reply(request.query().withBody(body));
        } catch (RuntimeException e) {
            log.atError().setCause(e).addKeyValue("path", request.path()).log("http page failed");
            return Page.Reply.text(500, "The page failed: see the program's log");
        }
    }

    private static List<String> methods(Page.Method method) {
        return switch (method) {
            case READ -> List.of("GET", "HEAD");
            case ACT -> List.of("POST");
        };
    }

    private void send(HttpRequest request, Page.Reply reply) throws IOException {
        var ending = request.afterReply() == HttpRequest.AfterReply.CLOSE ? "Connection: close\r\n" : "";
        var withBody = !request.method().equals("HEAD");
        switch (reply) {
            case Page.Reply.Text(var status, var contentType, var body) -> {
                var plain = body.getBytes(StandardCharsets.UTF_8);
                var coding = request.coding().forSize(plain.length);
                var bytes = coding.pack(plain);
                var length = "Content-Length: " + bytes.length + "\r\nVary: Accept, Accept-Encoding\r\n";
                head(status, contentType, coding.header() + length + ending);
                if (withBody) {
                    out.write(bytes);
                }
            }
            case Page.Reply.WrongMethod(var right) -> {
                var allowed = String.join(", ", methods(right));
                var bytes = ("use " + allowed + "\n").getBytes(StandardCharsets.UTF_8);
                var length = "Content-Length: " + bytes.length + "\r\nAllow: " + allowed + "\r\n";
                head(405, "text/plain; charset=utf-8", length + ending);
                out.write(bytes);
            }
            case Page.Reply.Binary(var bytes) -> {
                head(200, "application/octet-stream", "Content-Length: " + bytes.length + "\r\n" + ending);
                if (withBody) {
                    out.write(bytes);
                }
            }
            case Page.Reply.Json json -> json(request, json, ending, withBody);
            case Page.Reply.Stream stream -> stream(request, stream, ending, withBody);
        }
        out.flush();
    }

    /// The length is not known before it is written: in chunks, or up to the end of the connection for HTTP/1.0.
    private void json(HttpRequest request, Page.Reply.Json json, String ending, boolean withBody) throws IOException {
        var chunked = request.version() == HttpRequest.Version.HTTP_1_1;
        head(200, "application/json", (chunked ? "Transfer-Encoding: chunked\r\n" : "") + ending);
        if (!withBody) {
            return;
        }
        var layout = request.query().parameter("pretty").isPresent() ? JsonOut.Layout.PRETTY : JsonOut.Layout.COMPACT;
        var chunks = new ChunkedStream(out);
        try (var writer = JsonOut.to(chunked ? chunks : out, layout)) {
            json.body().accept(writer);
            writer.end(layout);
        } catch (RuntimeException e) {
            log.atError().setCause(e).addKeyValue("path", request.path()).log("http page failed half-way");
            throw e; // the connection breaks, so that the client sees that something is missing
        }
        if (chunked) {
            chunks.finish();
        }
    }

    private void stream(HttpRequest request, Page.Reply.Stream stream, String ending, boolean withBody)
            throws IOException {
        var chunked = request.version() == HttpRequest.Version.HTTP_1_1;
        head(200, stream.contentType(), (chunked ? "Transfer-Encoding: chunked\r\n" : "") + ending);
        if (withBody && chunked) {
            var chunks = new ChunkedStream(out);
            stream.body().write(chunks);
            chunks.finish();
        } else if (withBody) {
            stream.body().write(out);
        }
    }

    private void head(int status, String contentType, String more) throws IOException {
        var text = "HTTP/1.1 " + status + " " + HttpStatus.reason(status) + "\r\nContent-Type: " + contentType
                + "\r\nX-Content-Type-Options: nosniff\r\n" + more + "\r\n";
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
