// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.wire.kube.binary.BinaryObjects;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// Events in the binary form, each after its length.
final class BinaryEvents implements WatchStream.Events {
    private final InputStream body;
    private byte[] buffer = new byte[16 * 1024];

    BinaryEvents(InputStream body) {
        this.body = new BufferedInputStream(body, 64 * 1024);
    }

    @Override
    public Optional<WatchStream.Event> next() throws IOException {
        for (var length = length(); length >= 0; length = length()) {
            if (length > WatchStream.LARGEST_EVENT) {
                throw new IOException("an event of " + length + " bytes");
            }
            if (length > buffer.length) {
                buffer = new byte[Integer.highestOneBit(length) << 1];
            }
            if (body.readNBytes(buffer, 0, length) < length) {
                return Optional.empty(); // no whole event
            }
            var event = BinaryObjects.event(buffer, length);
            var known = WatchStream.event(event.type(), event.object());
            if (known.isPresent()) {
                return known;
            }
        }
        return Optional.empty();
    }

    /// Of the next event; negative at the end.
    private int length() throws IOException {
        var bytes = body.readNBytes(Integer.BYTES);
        if (bytes.length < Integer.BYTES) {
            return -1;
        }
        var length = 0;
        for (var part : bytes) {
            length = length << 8 | (part & 0xff);
        }
        if (length < 0) {
            throw new EOFException("an event whose length makes no sense");
        }
        return length;
    }

    @Override
    public boolean hasMore() throws IOException {
        return body.available() > 0;
    }
}
