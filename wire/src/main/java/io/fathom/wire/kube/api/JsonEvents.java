// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.JsonList;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;

/// Events as JSON, a line for each.
final class JsonEvents implements WatchStream.Events {
    private final InputStream body;
    private byte[] buffer = new byte[16 * 1024];
    private int from;
    private int to;

    JsonEvents(InputStream body) {
        this.body = body;
    }

    @Override
    public Optional<WatchStream.Event> next() throws IOException {
        for (var length = line(); length >= 0; length = line()) {
            var start = from;
            from += length + 1;
            if (isBlank(start, length)) {
                continue;
            }
            var tree = JsonList.readOne("event", buffer, start, length);
            if (tree instanceof Tree.Mapping mapping
                    && mapping.entries().get("object") instanceof Tree.Mapping object) {
                var event = WatchStream.event(Field.root(tree).at("type").text(), object);
                if (event.isPresent()) {
                    return event;
                }
            }
        }
        return Optional.empty();
    }

    /// The length of the line that begins at `from`; negative at the end. What comes after the last line end is lost,
    /// as it is no whole event.
    private int line() throws IOException {
        var looked = from;
        for (; ; ) {
            for (; looked < to; looked++) {
                if (buffer[looked] == '\n') {
                    return looked - from;
                }
            }
            if (from > 0) {
                System.arraycopy(buffer, from, buffer, 0, to - from);
                looked -= from;
                to -= from;
                from = 0;
            }
            if (to == buffer.length) {
                if (to >= WatchStream.LARGEST_EVENT) {
                    throw new IOException("an event of more than " + WatchStream.LARGEST_EVENT + " bytes");
                }
                buffer = Arrays.copyOf(buffer, 2 * to);
            }
            var count = body.read(buffer, to, buffer.length - to);
            if (count < 0) {
                return -1;
            }
            to += count;
        }
    }

    private boolean isBlank(int start, int length) {
        for (var i = start; i < start + length; i++) {
            if (buffer[i] != ' ' && buffer[i] != '\r') {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean hasMore() throws IOException {
        return from < to || body.available() > 0;
    }
}
