// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.CertificateSource;
import io.fathom.wire.tls.TlsPeer;
import io.netty.channel.EventLoop;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// The keys that are at home on one event loop, and their connections wherever those live. Private methods and
/// fields belong to that event loop.
final class PoolShard {
    private final int index;
    private final List<EventLoop> loops;
    private final EventLoop home;
    private final Dialer dialer;
    private final CertificateSource certificates;
    private final HboneLimits limits;
    private final Map<TunnelKey, PoolEntry> entries = new HashMap<>();
    /// Least recently used first.
    private final LinkedHashSet<PooledConnection> connections = new LinkedHashSet<>();

    private volatile int count;
    private volatile boolean closed;
    private boolean sweepPlanned;

    PoolShard(int index, List<EventLoop> loops, Dialer dialer, CertificateSource certificates, HboneLimits limits) {
        this.index = index;
        this.loops = loops;
        this.home = loops.get(index);
        this.dialer = dialer;
        this.certificates = certificates;
        this.limits = limits;
    }

    /// Any thread.
    void open(PoolRequest request) {
        atHome(request);
    }

    /// Any thread: another try, with whatever connection is there then.
    void again(PoolRequest request) {
        home.execute(request);
    }

    /// Any thread: at once if this is home, in order otherwise.
    void atHome(Runnable task) {
        if (home.inEventLoop()) {
            task.run();
        } else if (!home.isShuttingDown()) { // the process ends: nobody is left to care
            home.execute(task);
        }
    }

    /// Any thread.
    int connections() {
        return count;
    }

    /// Any thread.
    void cut(Predicate<List<X509Certificate>> revoked) {
        atHome(() -> {
            for (var connection : List.copyOf(connections)) {
                if (revoked.test(connection.peer().chain())) {
                    forget(connection);
                    connection.close();
                }
            }
        });
    }

    // ---- at home

    void take(PoolRequest request) {
        if (closed) {
            request.failed(new HboneFailure.Closed());
            return;
        }
        var entry = entries.computeIfAbsent(request.key(), PoolEntry::new);
        var connection = entry.free();
        if (connection != null && entry.waiting.isEmpty()) {
            use(connection, request);
        } else {
            entry.waiting.add(request);
            serve(entry);
        }
    }

    /// Gives those who wait what is free, and dials for the rest.
    private void serve(PoolEntry entry) {
        while (!entry.waiting.isEmpty()) {
            var connection = entry.free();
            if (connection == null) {
                if (!entry.dialling) {
                    dial(entry);
                }
                return;
            }
            use(connection, entry.waiting.remove());
        }
    }

    private void use(PooledConnection connection, PoolRequest request) {
        connection.used++;
        touch(connection);
        connection.send(request);
    }

    private void touch(PooledConnection connection) {
        if (connections.remove(connection)) {
            connections.add(connection);
        }
    }

    void released(PooledConnection connection) {
        connection.used--;
        if (!connection.usable) {
            return;
        }
        if (connection.used == 0) {
            connection.idleSince = System.nanoTime();
            touch(connection);
            planSweep(limits.times().idle().toNanos());
        }
        serve(connection.entry());
    }

    void lost(PooledConnection connection, HboneFailure why) {
        if (connection.usable) {
            connection.lostBecause = why;
            forget(connection);
        }
    }

    private void forget(PooledConnection connection) {
        connection.usable = false;
        connections.remove(connection);
        count = connections.size();
        var entry = connection.entry();
        entry.connections.remove(connection);
        if (entry.isUnused()) {
            entries.remove(entry.key, entry);
        }
    }

    private void retire(PooledConnection connection) {
        forget(connection);
        connection.retire();
    }

    // ---- dialling

    private void dial(PoolEntry entry) {
        entry.dialling = true;
        var certificate = certificates.certificate(entry.key.source()).toCompletableFuture();
        if (certificate.isDone() && !certificate.isCompletedExceptionally()) {
            dial(entry, certificate.join());
        } else {
            await(entry, certificate);
        }
    }

    private void await(PoolEntry entry, CompletableFuture<TlsIdentity> certificate) {
        var patience = limits.times().dial();
        var _ = certificate
                .copy()
                .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .whenCompleteAsync(
                        (identity, failure) -> {
                            if (failure == null) {
                                dial(entry, identity);
                            } else {
                                failed(
                                        entry,
                                        new HboneFailure.CertificateMissing(
                                                entry.key.source(), Failures.problem(failure)));
                            }
                        },
                        home);
    }

    private void dial(PoolEntry entry, TlsIdentity identity) {
        var loop = loops.get((index + entry.connections.size()) % loops.size());
        dialer.dial(entry.key.hop(), entry.key.accepted(), identity, loop, new Dialer.LinkListener() {
            @Override
            public Http2Link secured(TlsPeer peer) {
                var connection = new PooledConnection(PoolShard.this, entry, limits, loop, peer);
                // not at once: the connection has to be in its pipeline first
                home.execute(() -> dialled(connection));
                return connection.handler();
            }

            @Override
            public void failed(HboneFailure failure) {
                atHome(() -> PoolShard.this.failed(entry, failure));
            }
        });
    }

    private void dialled(PooledConnection connection) {
        var entry = connection.entry();
        entry.dialling = false;
        if (closed) {
            connection.usable = false;
            connection.close();
            return;
        }
        if (!connection.usable) {
            failed(entry, connection.lostBecause); // as when the peer does not like our certificate
            return;
        }
        entry.connections.add(connection);
        connections.add(connection);
        count = connections.size();
        evict(connection);
        connection.idleSince = System.nanoTime();
        planSweep(limits.times().idle().toNanos());
        serve(entry);
    }

    private void failed(PoolEntry entry, HboneFailure failure) {
        entry.dialling = false;
        var waiting = new ArrayList<>(entry.waiting);
        entry.waiting.clear();
        if (entry.isUnused()) {
            entries.remove(entry.key, entry);
        }
        waiting.forEach(request -> request.failed(failure));
    }

    private void evict(PooledConnection newest) {
        if (connections.size() > limits.pooledConnections()) {
            var eldest = connections.iterator().next();
            if (eldest != newest) {
                retire(eldest);
            }
        }
    }

    // ---- the end

    private void planSweep(long nanos) {
        if (!sweepPlanned && !closed) {
            sweepPlanned = true;
            var _ = home.schedule(this::sweep, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void sweep() {
        sweepPlanned = false;
        var now = System.nanoTime();
        var idleNanos = limits.times().idle().toNanos();
        var next = Long.MAX_VALUE;
        for (var connection : new ArrayList<>(connections)) {
            if (connection.used == 0) {
                var left = connection.idleSince + idleNanos - now;
                if (left <= 0) {
                    retire(connection);
                } else {
                    next = Math.min(next, left);
                }
            }
        }
        if (next < Long.MAX_VALUE) {
            planSweep(next);
        }
    }

    /// Any thread.
    void drain() {
        closed = true;
        atHome(() -> {
            turnAway();
            new ArrayList<>(connections).forEach(this::retire);
        });
    }

    /// Any thread.
    void close() {
        closed = true;
        atHome(() -> {
            turnAway();
            for (var connection : new ArrayList<>(connections)) {
                forget(connection);
                connection.close();
            }
        });
    }

    private void turnAway() {
        for (var entry : new ArrayList<>(entries.values())) {
            var waiting = new ArrayList<>(entry.waiting);
            entry.waiting.clear();
            waiting.forEach(request -> request.failed(new HboneFailure.Closed()));
        }
    }
}
