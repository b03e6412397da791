// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.JsonList;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;

/// The events of one watch, in order. For one thread; [#close()] may come from any.
final class WatchStream implements AutoCloseable {
    private static final int LARGEST_EVENT = 64 * 1024 * 1024;

    /// What an event says.
    enum Type {
        ADDED,
        MODIFIED,
        DELETED,
        BOOKMARK,
        ERROR
    }

    record Event(Type type, KubeObject object) {
        private static final String INITIAL_END = "k8s.io/initial-events-end";

        /// The status code of an error.
        int code() {
            return object.root().at("code").integer(0, Integer.MAX_VALUE).orElse(0);
        }

        /// Whether it ends the objects that were there when the watch began.
        boolean endsInitial() {
            return type == Type.BOOKMARK
                    && object.metadata().at("annotations").entries().containsKey(INITIAL_END);
        }
    }

    private final InputStream body;
    private final Runnable end;
    private byte[] buffer = new byte[16 * 1024];
    private int from;
    private int to;

    WatchStream(InputStream body, Runnable end) {
        this.body = body;
        this.end = end;
    }

    /// Waits for the next event; empty when the server ended the watch. Types that are not known are left out.
    Optional<Event> next() throws IOException {
        for (var length = line(); length >= 0; length = line()) {
            var start = from;
            from += length + 1;
            if (isBlank(start, length)) {
                continue;
            }
            var tree = JsonList.readOne("event", buffer, start, length);
            var named = Field.root(tree).at("type").text();
            for (var type : Type.values()) {
                if (type.name().equals(named)
                        && tree instanceof Tree.Mapping mapping
                        && mapping.entries().get("object") instanceof Tree.Mapping object) {
                    return Optional.of(new Event(type, new KubeObject(object)));
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
                if (to >= LARGEST_EVENT) {
                    throw new IOException("an event of more than " + LARGEST_EVENT + " bytes");
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

    /// Whether more has come already.
    boolean hasMore() throws IOException {
        return from < to || body.available() > 0;
    }

    @Override
    public void close() {
        end.run();
    }
}
