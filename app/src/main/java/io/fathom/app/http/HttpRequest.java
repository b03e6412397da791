// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import io.fathom.wire.http.HeadReader;
import io.fathom.wire.http.RequestHead;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/// The head of one request, with doubled slashes in its path collapsed.
record HttpRequest(
        String method,
        String path,
        Page.Query query,
        Coding coding,
        Version version,
        AfterReply afterReply,
        Map<String, String> headers) {
    static final int MOST_HEAD = 16 * 1024;

    enum Version {
        HTTP_1_0,
        HTTP_1_1
    }

    /// What becomes of the connection.
    enum AfterReply {
        KEEP,
        CLOSE
    }

    /// A request that cannot be answered but with this status.
    static final class Refused extends Exception {
        private final int status;

        Refused(int status, String message) {
            super(message, null, false, false);
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    /// Reads the next one.
    static HttpRequest read(HeadReader in) throws IOException, Refused {
        try {
            return of(RequestHead.read(in));
        } catch (HeadReader.BadHeadException e) {
            throw switch (e.fault()) {
                case TOO_LONG -> new Refused(431, "The head of the request is too long");
                case MALFORMED -> new Refused(400, "This is not an HTTP/1.1 request: " + e.getMessage());
            };
        }
    }

    private static HttpRequest of(RequestHead head) throws Refused {
        var headers = head.headers();
        var version = head.version().equals("HTTP/1.0") ? Version.HTTP_1_0 : Version.HTTP_1_1;
        var target = head.target();
        var mark = target.indexOf('?');
        var path = decoded(mark < 0 ? target : target.substring(0, mark)).replaceAll("/+", "/");
        if (!path.startsWith("/")) {
            throw new Refused(400, "The path must begin with a slash");
        }
        return new HttpRequest(
                head.method(),
                path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path,
                query(mark < 0 ? "" : target.substring(mark + 1), headers.getOrDefault("accept", "")),
                Coding.of(headers.getOrDefault("accept-encoding", "")),
                version,
                afterReply(headers, version),
                headers);
    }

    /// The text that follows the head.
    ///
    /// @param limit in bytes
    String body(HeadReader in, int limit) throws IOException, Refused {
        var bytes = in.body(headers).readNBytes(limit + 1);
        if (bytes.length > limit) {
            throw new Refused(413, "The body of the request is longer than " + limit + " bytes");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /// This one, after which the connection is closed: a body that no page wants would have to be read before the next
    /// request.
    HttpRequest last() {
        return new HttpRequest(method, path, query, coding, version, AfterReply.CLOSE, headers);
    }

    boolean hasBody() {
        return !headers.getOrDefault("content-length", "0").equals("0") || headers.containsKey("transfer-encoding");
    }

    private static AfterReply afterReply(Map<String, String> headers, Version version) {
        var wish = headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT);
        return version == Version.HTTP_1_1 && !wish.contains("close") ? AfterReply.KEEP : AfterReply.CLOSE;
    }

    static Page.Query query(String raw, String accept) {
        Map<String, String> parameters = new HashMap<>();
        for (var part : raw.split("&", -1)) {
            var equals = part.indexOf('=');
            var name = equals < 0 ? part : part.substring(0, equals);
            if (!name.isEmpty()) {
                parameters.putIfAbsent(decoded(name), equals < 0 ? "" : decoded(part.substring(equals + 1)));
            }
        }
        return new Page.Query(Map.copyOf(parameters), accept, "");
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return text;
        }
    }
}
