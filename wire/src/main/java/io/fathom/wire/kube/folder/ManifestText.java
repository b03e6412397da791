// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.base.lang.Problem;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/// The text of a file, or why it has none.
sealed interface ManifestText {
    record Decoded(String text) implements ManifestText {}

    record Undecodable(int line, Problem problem) implements ManifestText {}

    /// Only UTF-8; a byte order mark is dropped.
    static ManifestText decode(byte[] bytes) {
        if (startsWith(bytes, 0xFF, 0xFE) || startsWith(bytes, 0xFE, 0xFF)) {
            return undecodable(1, "manifest-not-utf8", "is UTF-16 text", "save it as UTF-8");
        }
        var ascii = true;
        for (var i = 0; i < bytes.length; i++) {
            ascii &= bytes[i] > 0;
            if (bytes[i] == 0) {
                return undecodable(
                        lineOf(bytes, i),
                        "manifest-binary",
                        "holds a zero byte and so is no text",
                        "keep only YAML and JSON text here");
            }
        }
        return ascii ? new Decoded(new String(bytes, StandardCharsets.US_ASCII)) : decodeUtf8(bytes);
    }

    private static ManifestText decodeUtf8(byte[] bytes) {
        var mark = startsWith(bytes, 0xEF, 0xBB, 0xBF) ? 3 : 0;
        var in = ByteBuffer.wrap(bytes, mark, bytes.length - mark);
        var out = CharBuffer.allocate(in.remaining());
        var result = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT)
                .decode(in, out, true);
        if (result.isError()) {
            return undecodable(
                    lineOf(bytes, in.position()),
                    "manifest-not-utf8",
                    "holds a byte that is not UTF-8: 0x%02X".formatted(bytes[in.position()]),
                    "save it as UTF-8");
        }
        return new Decoded(out.flip().toString());
    }

    private static Undecodable undecodable(int line, String code, String message, String fix) {
        return new Undecodable(line, Problem.ofInput(code, message, fix));
    }

    private static boolean startsWith(byte[] bytes, int... start) {
        if (bytes.length < start.length) {
            return false;
        }
        for (var i = 0; i < start.length; i++) {
            if ((bytes[i] & 0xff) != start[i]) {
                return false;
            }
        }
        return true;
    }

    private static int lineOf(byte[] bytes, int position) {
        var line = 1;
        for (var i = 0; i < position; i++) {
            if (bytes[i] == '\n') {
                line++;
            }
        }
        return line;
    }
}
