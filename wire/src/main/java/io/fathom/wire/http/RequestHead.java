// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http;

import io.fathom.wire.http.HeadReader.BadHeadException;
import io.fathom.wire.http.HeadReader.Fault;
import java.io.IOException;
import java.util.Map;

/// What an HTTP/1 request begins with.
///
/// @param target path and query, without scheme and host where a client sends them
/// @param version such as `HTTP/1.1`
/// @param headers names in lower case, the first of several wins
public record RequestHead(String method, String target, String version, Map<String, String> headers) {
    public RequestHead {
        headers = Map.copyOf(headers);
    }

    /// Reads the next one.
    ///
    /// @throws BadHeadException if it is none, or too long
    public static RequestHead read(HeadReader in) throws IOException {
        var line = in.line();
        while (line.isEmpty()) {
            line = in.line(); // a blank line before a request means nothing
        }
        var headers = in.headers();
        var words = line.split(" ", -1);
        if (words.length != 3 || !words[2].startsWith("HTTP/1.")) {
            throw new BadHeadException(Fault.MALFORMED, "its first line is not METHOD TARGET HTTP/1.1");
        }
        return new RequestHead(words[0], words[1].replaceFirst("^https?://[^/]*", ""), words[2], headers);
    }
}
