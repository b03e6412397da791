// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.http2;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// Writes header blocks in the plainest form there is: each header in full, nothing to be remembered. Pure.
final class HeaderEncoder {
    private static final int LITERAL = 0x00;
    private static final int NEVER_INDEXED = 0x10;
    private static final int LENGTH_LIMIT = 0x7f;

    private HeaderEncoder() {}

    /// In the order of the map, which has pseudo-headers first.
    static byte[] encode(Map<String, String> headers) {
        var block = new ByteArrayOutputStream(256);
        headers.forEach((name, value) -> {
            block.write(name.equals("authorization") ? NEVER_INDEXED : LITERAL);
            text(block, name);
            text(block, value);
        });
        return block.toByteArray();
    }

    private static void text(ByteArrayOutputStream block, String text) {
        var bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length < LENGTH_LIMIT) {
            block.write(bytes.length);
        } else {
            block.write(LENGTH_LIMIT);
            var rest = bytes.length - LENGTH_LIMIT;
            for (; rest >= 0x80; rest >>>= 7) {
                block.write((rest & 0x7f) | 0x80);
            }
            block.write(rest);
        }
        block.writeBytes(bytes);
    }
}
