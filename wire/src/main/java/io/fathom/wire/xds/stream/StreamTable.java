// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// The clients that are connected now, for the debug pages. Thread-safe; costs the streams nothing.
public final class StreamTable {
    private final Map<String, Supplier<Connection>> streams = new ConcurrentHashMap<>();

    public StreamTable() {}

    public void add(String id, Supplier<Connection> stream) {
        streams.put(id, stream);
    }

    /// True when it was there.
    public boolean remove(String id) {
        return streams.remove(id) != null;
    }

    public int size() {
        return streams.size();
    }

    /// Oldest first.
    public List<Connection> connections() {
        return streams.values().stream()
                .map(Supplier::get)
                .sorted(Comparator.comparing(Connection::connectedAt).thenComparing(Connection::id))
                .toList();
    }
}
