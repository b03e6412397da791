// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Who is connected, and who has to make room. Of strangers the oldest goes first: one that joins is done in the
/// time of a handshake, one that waits to exhaust us is not. Members are counted apart, so strangers never take their
/// place. Any thread.
final class ConnectionTable {
    /// One end of a connection as the table sees it. Equal only to itself.
    abstract static class Connection {
        private final InetSocketAddress peer;
        private long since;
        private String member = "";

        Connection(InetSocketAddress peer) {
            this.peer = peer;
        }

        InetSocketAddress peer() {
            return peer;
        }

        /// Ends it. Must not block.
        abstract void close();
    }

    /// Is told of a connection that had to go. Must not block.
    interface EvictionListener {
        void evicted(EvictionReason reason, String peer);
    }

    private final FleetLimits limits;
    private final EvictionListener listener;
    private final Map<InetSocketAddress, Connection> all = new HashMap<>();
    private final Set<Connection> strangers = new LinkedHashSet<>();
    private final Map<InetAddress, Set<Connection>> byAddress = new HashMap<>();
    private final Map<String, Set<Connection>> members = new HashMap<>();
    private final Map<EvictionReason, Long> evicted = new TreeMap<>();
    private long now;

    ConnectionTable(FleetLimits limits, EvictionListener listener) {
        this.limits = limits;
        this.listener = listener;
    }

    /// Somebody new; another one may have to go.
    synchronized void accepted(Connection connection) {
        connection.since = now;
        all.put(connection.peer, connection);
        strangers.add(connection);
        var neighbours = byAddress.computeIfAbsent(connection.peer.getAddress(), _ -> new LinkedHashSet<>());
        neighbours.add(connection);
        if (neighbours.size() > limits.strangersPerAddress()) {
            evict(neighbours.iterator().next(), EvictionReason.CROWDED_ADDRESS);
        }
        if (strangers.size() > limits.strangers()) {
            evict(strangers.iterator().next(), EvictionReason.CROWDED);
        }
    }

    /// Somebody has shown a certificate.
    ///
    /// @param member whose it is
    synchronized void identified(InetSocketAddress peer, String member) {
        var connection = all.get(peer);
        if (connection == null || !strangers.contains(connection)) {
            return;
        }
        noStranger(connection);
        connection.member = member;
        var others = members.computeIfAbsent(member, _ -> new LinkedHashSet<>());
        others.add(connection);
        if (others.size() > limits.perMember()) {
            evict(others.iterator().next(), EvictionReason.MANY_OF_A_CLUSTER);
        }
    }

    /// Something has come from there.
    ///
    /// @param bytes in all
    synchronized void received(Connection connection, long bytes) {
        if (bytes > limits.strangerBytes() && strangers.contains(connection)) {
            evict(connection, EvictionReason.TOO_MUCH);
        }
    }

    synchronized void closed(Connection connection) {
        noStranger(connection);
        all.remove(connection.peer, connection);
        members.computeIfPresent(
                connection.member, (_, others) -> others.remove(connection) && others.isEmpty() ? null : others);
    }

    private void noStranger(Connection connection) {
        if (strangers.remove(connection)) {
            byAddress.computeIfPresent(
                    connection.peer.getAddress(),
                    (_, others) -> others.remove(connection) && others.isEmpty() ? null : others);
        }
    }

    private void evict(Connection connection, EvictionReason reason) {
        closed(connection);
        evicted.merge(reason, 1L, Long::sum);
        connection.close();
        listener.evicted(reason, connection.peer.getAddress().getHostAddress());
    }

    /// A second has gone by.
    synchronized void tick() {
        now++;
        while (!strangers.isEmpty()
                && strangers.iterator().next().since + limits.strangerLife().toSeconds() < now) {
            evict(strangers.iterator().next(), EvictionReason.LINGERING);
        }
    }

    synchronized ConnectionCounts counts() {
        return new ConnectionCounts(strangers.size(), all.size() - strangers.size(), Map.copyOf(evicted));
    }
}
