// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.wire.http.HttpAnswer;
import io.fathom.wire.kube.tree.Tree;
import java.io.IOException;
import java.util.Optional;

/// The events of one watch, in order. For one thread; [#close()] may come from any.
final class WatchStream implements AutoCloseable {
    static final int LARGEST_EVENT = 64 * 1024 * 1024;

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

    /// Events in one of the forms that a server sends.
    interface Events {
        /// Waits for the next one; empty when the server ended the watch. Types that are not known are left out.
        Optional<Event> next() throws IOException;

        /// Whether more has come already.
        boolean hasMore() throws IOException;
    }

    private final Events events;
    private final Runnable end;

    /// @param end ends the connection
    WatchStream(HttpAnswer answer, Runnable end) {
        this.events = BinaryAnswer.isBinary(answer) ? new BinaryEvents(answer.body()) : new JsonEvents(answer.body());
        this.end = end;
    }

    /// None if the type is not known.
    static Optional<Event> event(String type, Tree.Mapping object) {
        for (var known : Type.values()) {
            if (known.name().equals(type)) {
                return Optional.of(new Event(known, new KubeObject(object)));
            }
        }
        return Optional.empty();
    }

    Optional<Event> next() throws IOException {
        return events.next();
    }

    boolean hasMore() throws IOException {
        return events.hasMore();
    }

    @Override
    public void close() {
        end.run();
    }
}
