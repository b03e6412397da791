// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/// A request.
///
/// @param target path and query
/// @param headers besides `host` and `content-length`, which are added
/// @param body empty for none
public record HttpCall(String method, String target, String host, Map<String, String> headers, String body) {
    public HttpCall {
        headers = Map.copyOf(headers);
        if (hasControl(method) || hasControl(target) || hasControl(host) || hasControl(headers.toString())) {
            throw new IllegalArgumentException("a request head has no control characters");
        }
    }

    private static boolean hasControl(String text) {
        return text.chars().anyMatch(c -> c < ' ' || c == 0x7f);
    }

    /// The bytes that go out.
    byte[] bytes() {
        var content = body.getBytes(StandardCharsets.UTF_8);
        var head = new StringBuilder(256);
        head.append(method)
                .append(' ')
                .append(target)
                .append(" HTTP/1.1\r\nhost: ")
                .append(host)
                .append("\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        if (content.length > 0 || !method.equals("GET")) {
            head.append("content-length: ").append(content.length).append("\r\n");
        }
        var start = head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
        var whole = new byte[start.length + content.length];
        System.arraycopy(start, 0, whole, 0, start.length);
        System.arraycopy(content, 0, whole, start.length, content.length);
        return whole;
    }
}
