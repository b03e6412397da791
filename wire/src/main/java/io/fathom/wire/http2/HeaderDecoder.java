// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http2;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reads header blocks (RFC 7541) of one direction of a connection, each exactly once and in their order, as they build
/// on one another. For one thread.
final class HeaderDecoder {
    private static final int TABLE_BYTES = 4096; // what holds as long as we announce nothing else
    private static final int ENTRY_BYTES = 32;
    private static final int MOST_BYTES = 64 * 1024;

    private record Header(String name, String value) {
        int size() {
            return name.length() + value.length() + ENTRY_BYTES;
        }
    }

    private static final List<Header> FIXED = fixed();

    private final List<Header> recent = new ArrayList<>(); // the newest first
    private int recentBytes;
    private int limit = TABLE_BYTES;
    private byte[] block = Frame.NOTHING;
    private int at;

    /// Names are in lower case as they come; of several with one name the first counts.
    ///
    /// @throws IOException when it makes no sense: the connection is then of no more use
    Map<String, String> decode(byte[] bytes) throws IOException {
        block = bytes;
        at = 0;
        var headers = new LinkedHashMap<String, String>();
        var size = 0;
        while (at < block.length) {
            var first = block[at] & 0xff;
            if (first >> 5 == 1) {
                resize(number(5));
                continue;
            }
            Header header;
            if (first >= 0x80) {
                header = entry(number(7));
            } else if (first >= 0x40) {
                header = literal(6);
                remember(header);
            } else {
                header = literal(4);
            }
            size += header.size();
            if (size > MOST_BYTES) {
                throw new IOException("headers of more than " + MOST_BYTES + " bytes");
            }
            headers.putIfAbsent(header.name(), header.value());
        }
        return headers;
    }

    private Header literal(int prefix) throws IOException {
        var index = number(prefix);
        var name = index == 0 ? text() : entry(index).name();
        return new Header(name, text());
    }

    private Header entry(int index) throws IOException {
        var later = index - 1 - FIXED.size();
        if (index < 1 || later >= recent.size()) {
            throw new IOException("a header that nobody has sent");
        }
        return later < 0 ? FIXED.get(index - 1) : recent.get(later);
    }

    private void remember(Header header) {
        recent.addFirst(header);
        recentBytes += header.size();
        shrink();
    }

    private void resize(int bytes) throws IOException {
        if (bytes > TABLE_BYTES) {
            throw new IOException("a header table of " + bytes + " bytes");
        }
        limit = bytes;
        shrink();
    }

    private void shrink() {
        while (recentBytes > limit) {
            recentBytes -= recent.removeLast().size();
        }
    }

    private String text() throws IOException {
        var coded = at < block.length && block[at] < 0;
        var length = number(7);
        if (length > block.length - at) {
            throw new IOException("a header that is cut off");
        }
        var start = at;
        at += length;
        return coded
                ? HuffmanText.decode(block, start, at)
                : new String(block, start, length, StandardCharsets.ISO_8859_1);
    }

    /// A number that begins in the lower bits of the next byte.
    private int number(int prefix) throws IOException {
        var most = (1 << prefix) - 1;
        var value = next() & most;
        if (value < most) {
            return value;
        }
        for (int shift = 0; shift < 21; shift += 7) {
            var more = next();
            value += (more & 0x7f) << shift;
            if (more < 0x80) {
                return value;
            }
        }
        throw new IOException("a number in a header that is too large");
    }

    private int next() throws IOException {
        if (at == block.length) {
            throw new IOException("a header block that is cut off");
        }
        return block[at++] & 0xff;
    }

    private static List<Header> fixed() {
        var names = """
                :authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200
                :status 204|:status 206|:status 304|:status 400|:status 404|:status 500|accept-charset
                accept-encoding gzip, deflate|accept-language|accept-ranges|accept|access-control-allow-origin|age|allow
                authorization|cache-control|content-disposition|content-encoding|content-language|content-length
                content-location|content-range|content-type|cookie|date|etag|expect|expires|from|host|if-match
                if-modified-since|if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards
                proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|server|set-cookie
                strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate
                """;
        var headers = new ArrayList<Header>();
        for (var entry : names.strip().split("[|\n]", -1)) {
            var blank = entry.indexOf(' ');
            headers.add(
                    blank < 0
                            ? new Header(entry, "")
                            : new Header(entry.substring(0, blank), entry.substring(blank + 1)));
        }
        return List.copyOf(headers);
    }
}
