// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the home of a key knows about it. On the event loop of the home.
final class PoolEntry {
    final TunnelKey key;
    final List<PooledConnection> connections = new ArrayList<>(1);
    final ArrayDeque<PoolRequest> waiting = new ArrayDeque<>(2);
    boolean dialling;

    PoolEntry(TunnelKey key) {
        this.key = key;
    }

    /// The first with room: later ones become idle and go.
    @Nullable
    PooledConnection free() {
        for (int i = 0; i < connections.size(); i++) {
            var connection = connections.get(i);
            if (connection.hasRoom()) {
                return connection;
            }
        }
        return null;
    }

    boolean isUnused() {
        return connections.isEmpty() && waiting.isEmpty() && !dialling;
    }
}
