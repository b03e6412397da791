// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.oci;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/// Finds the WebAssembly module in what was downloaded: the module itself, or a tar archive, maybe packed with gzip,
/// that has a file `*.wasm`.
final class ModuleArchive {
    private static final int BLOCK = 512;
    private static final int NAME_LENGTH = 100;
    private static final int SIZE_AT = 124;
    private static final int SIZE_LENGTH = 12;

    private ModuleArchive() {}

    /// @param most bytes that a module may have
    static Optional<byte[]> module(byte[] content, int most) throws IOException {
        if (isModule(content)) {
            return Optional.of(content);
        }
        if (content.length > 2 && (content[0] & 0xff) == 0x1f && (content[1] & 0xff) == 0x8b) {
            try (var unpacked = new GZIPInputStream(new ByteArrayInputStream(content))) {
                // Room for the headers of an archive.
                var bytes = unpacked.readNBytes(most + BLOCK * 64);
                return isModule(bytes) ? Optional.of(bytes) : inTar(bytes, most);
            }
        }
        return inTar(content, most);
    }

    private static boolean isModule(byte[] bytes) {
        return bytes.length >= 8 && bytes[0] == 0 && bytes[1] == 'a' && bytes[2] == 's' && bytes[3] == 'm';
    }

    private static Optional<byte[]> inTar(byte[] bytes, int most) throws IOException {
        var input = new DataInputStream(new ByteArrayInputStream(bytes));
        var header = new byte[BLOCK];
        while (true) {
            try {
                input.readFully(header);
            } catch (EOFException _) {
                return Optional.empty();
            }
            if (header[0] == 0) {
                return Optional.empty();
            }
            var size = size(header);
            if (size < 0 || size > bytes.length) {
                return Optional.empty();
            }
            var name = text(header, 0, NAME_LENGTH);
            if (name.endsWith(".wasm") && size <= most) {
                var module = input.readNBytes((int) size);
                return isModule(module) ? Optional.of(module) : Optional.empty();
            }
            input.skipNBytes(Math.min((size + BLOCK - 1) / BLOCK * BLOCK, input.available()));
        }
    }

    private static long size(byte[] header) {
        var text = text(header, SIZE_AT, SIZE_LENGTH).strip();
        return text.matches("[0-7]{1,12}") ? Long.parseLong(text, 8) : -1;
    }

    private static String text(byte[] bytes, int from, int length) {
        var end = from;
        while (end < from + length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, from, end - from, StandardCharsets.UTF_8);
    }
}
