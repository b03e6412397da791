// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import java.util.Arrays;
import java.util.HexFormat;

/// Bytes that are compared by what is in them. Immutable.
public final class Blob {
    public static final Blob EMPTY = new Blob(new byte[0]);

    private final byte[] bytes;

    private Blob(byte[] bytes) {
        this.bytes = bytes;
    }

    public static Blob copyOf(byte[] bytes) {
        return bytes.length == 0 ? EMPTY : new Blob(bytes.clone());
    }

    public int size() {
        return bytes.length;
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Blob blob && Arrays.equals(bytes, blob.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /// Well spread, and the same everywhere and for ever.
    public long hash64() {
        var hash = 0xcbf29ce484222325L;
        for (var value : bytes) {
            hash = (hash ^ (value & 0xff)) * 0x100000001b3L;
        }
        return hash;
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
