package io.fathom.wire.kube.api;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// The events of one watch, in order. For one thread; [#close()] may come from any.
final class WatchStream implements AutoCloseable {
    /// What an event says.
    enum Type {
        ADDED,
        MODIFIED,
        DELETED,
        BOOKMARK,
        ERROR
    }

    record Event(Type type, KubeObject object) {
        /// The status code of an error.
        int code() {
            return object.root().at("code").integer(0, Integer.MAX_VALUE).orElse(0);
        }
    }

    private final BufferedReader lines;
    private final Runnable end;

    WatchStream(InputStream body, Runnable end) {
        this.lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
        this.end = end;
    }

    /// Waits for the next event; empty when the server ended the watch. Types that are not known are left out.
    Optional<Event> next() throws IOException {
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isBlank()) {
                continue;
            }
            var tree = Json.parse("event", line);
            for (var type : Type.values()) {
                if (type.name().equals(Field.root(tree).at("type").text())
                        && tree instanceof Tree.Mapping mapping
                        && mapping.entries().get("object") instanceof Tree.Mapping object) {
                    return Optional.of(new Event(type, new KubeObject(object)));
                }
            }
        }
        return Optional.empty();
    }

    /// Whether more has come already.
    boolean hasMore() throws IOException {
        return lines.ready();
    }

    @Override
    public void close() {
        end.run();
    }
}
