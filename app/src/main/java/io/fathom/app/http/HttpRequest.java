package io.fathom.app.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The head of one request, with doubled slashes in its path collapsed. Bodies are of no interest here.
record HttpRequest(
        String method, String path, Page.Query query, Coding coding, Version version, AfterReply afterReply) {
    private static final int MOST_BYTES = 16 * 1024;

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

    /// Waits for the next request; empty when the client has no more.
    static Optional<HttpRequest> read(InputStream in) throws IOException, Refused {
        var head = new StringBuilder();
        while (!head.toString().endsWith("\n\n")) { // heads are short: clarity over speed
            var next = in.read();
            if (next < 0) {
                return Optional.empty();
            }
            if (next != '\r') {
                head.append((char) next);
            }
            if (head.length() > MOST_BYTES) {
                throw new Refused(431, "The head of the request is too long");
            }
            if (head.length() == 1 && head.charAt(0) == '\n') {
                head.setLength(0); // a blank line before a request means nothing
            }
        }
        return Optional.of(parse(head.toString()));
    }

    private static HttpRequest parse(String head) throws Refused {
        var lines = head.split("\n", -1);
        var words = lines[0].split(" ", -1);
        if (words.length != 3 || !words[2].startsWith("HTTP/1.")) {
            throw new Refused(400, "This is not an HTTP/1.1 request");
        }
        var headers = headers(lines);
        var version = words[2].equals("HTTP/1.0") ? Version.HTTP_1_0 : Version.HTTP_1_1;
        var target = words[1].replaceFirst("^https?://[^/]*", "");
        var mark = target.indexOf('?');
        var path = decoded(mark < 0 ? target : target.substring(0, mark)).replaceAll("/+", "/");
        if (!path.startsWith("/")) {
            throw new Refused(400, "The path must begin with a slash");
        }
        return new HttpRequest(
                words[0],
                path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path,
                query(mark < 0 ? "" : target.substring(mark + 1), headers.getOrDefault("accept", "")),
                Coding.of(headers.getOrDefault("accept-encoding", "")),
                version,
                afterReply(headers, version));
    }

    /// A body would have to be read before the next request: closing is simpler and cannot be fooled.
    private static AfterReply afterReply(Map<String, String> headers, Version version) {
        var bodyless =
                headers.getOrDefault("content-length", "0").equals("0") && !headers.containsKey("transfer-encoding");
        var wish = headers.getOrDefault("connection", "").toLowerCase(Locale.ROOT);
        var keep = version == Version.HTTP_1_1 && !wish.contains("close");
        return bodyless && keep ? AfterReply.KEEP : AfterReply.CLOSE;
    }

    private static Map<String, String> headers(String[] lines) {
        Map<String, String> headers = new HashMap<>();
        for (int i = 1; i < lines.length; i++) {
            var colon = lines[i].indexOf(':');
            if (colon > 0) {
                headers.put(
                        lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                        lines[i].substring(colon + 1).strip());
            }
        }
        return headers;
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
        return new Page.Query(Map.copyOf(parameters), accept);
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return text;
        }
    }
}
