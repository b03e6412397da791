// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A request whose every header a test may choose, also the host, which Java's own client keeps for itself.
final class Ask {
    private static final int PATIENCE_MILLIS = 30_000;

    private final String method;
    private final String host;
    private final String path;
    private final List<String> headers = new ArrayList<>();

    private Ask(String method, String host, String path) {
        this.method = method;
        this.host = host;
        this.path = path;
    }

    /// @param headers with names in lower case
    record Answer(int status, Map<String, String> headers, String body) {
        /// What the [Echo] says of a part of the request; empty when nothing.
        String echo(String name) {
            return body.lines()
                    .filter(line -> line.startsWith(name + ": "))
                    .map(line -> line.substring(name.length() + 2))
                    .findFirst()
                    .orElse("");
        }

        String header(String name) {
            return headers.getOrDefault(name, "");
        }
    }

    static Ask get(String host, String path) {
        return new Ask("GET", host, path);
    }

    static Ask method(String method, String host, String path) {
        return new Ask(method, host, path);
    }

    Ask with(String name, String value) {
        headers.add(name + ": " + value);
        return this;
    }

    Answer at(int port) throws IOException {
        try (var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            var text =
                    new StringBuilder(method + " " + path + " HTTP/1.1\r\nhost: " + host + "\r\nconnection: close\r\n");
            headers.forEach(header -> text.append(header).append("\r\n"));
            socket.getOutputStream().write(text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
            return read(socket.getInputStream());
        }
    }

    private static Answer read(InputStream in) throws IOException {
        var status = Integer.parseInt(line(in).split(" ", -1)[1]);
        var headers = new LinkedHashMap<String, String>();
        for (var line = line(in); !line.isEmpty(); line = line(in)) {
            var colon = line.indexOf(':');
            headers.merge(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip(),
                    (one, other) -> one + "," + other);
        }
        var body = new ByteArrayOutputStream();
        if (headers.containsKey("content-length")) {
            body.write(in.readNBytes(Integer.parseInt(headers.get("content-length"))));
        } else if (headers.getOrDefault("transfer-encoding", "").equals("chunked")) {
            for (var size = Integer.parseInt(line(in), 16); size > 0; size = Integer.parseInt(line(in), 16)) {
                body.write(in.readNBytes(size));
                line(in);
            }
        } else {
            in.transferTo(body);
        }
        return new Answer(status, headers, body.toString(StandardCharsets.UTF_8));
    }

    private static String line(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        for (var next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            if (next != '\r') {
                line.write(next);
            }
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }
}
