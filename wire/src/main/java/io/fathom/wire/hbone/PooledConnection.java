// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.wire.tls.TlsPeer;
import io.netty.channel.EventLoop;

/// A shared connection as its home sees it. Lives on its own event loop; how many use it is counted at home, so
/// that no two places decide on it.
final class PooledConnection implements HboneClientHandler.ConnectionOwner {
    private final PoolShard shard;
    private final PoolEntry entry;
    private final HboneClientHandler handler;
    private final EventLoop loop;
    private final TlsPeer peer;

    // at home
    int used;
    int limit;
    boolean usable = true;
    long idleSince;
    HboneFailure lostBecause;

    private final Runnable released;

    PooledConnection(PoolShard shard, PoolEntry entry, HboneLimits limits, EventLoop loop, TlsPeer peer) {
        this.shard = shard;
        this.entry = entry;
        this.handler = new HboneClientHandler(limits, entry.key.hop(), this);
        this.loop = loop;
        this.peer = peer;
        this.lostBecause = new HboneFailure.Closed();
        this.limit = limits.streamsPerConnection();
        this.released = () -> shard.released(this);
    }

    HboneClientHandler handler() {
        return handler;
    }

    TlsPeer peer() {
        return peer;
    }

    PoolEntry entry() {
        return entry;
    }

    boolean hasRoom() {
        return usable && used < limit;
    }

    /// From home.
    void send(PoolRequest request) {
        if (loop.inEventLoop()) {
            request.send(handler, peer);
        } else {
            loop.execute(() -> request.send(handler, peer));
        }
    }

    /// From home: ends with the last stream.
    void retire() {
        if (loop.inEventLoop()) {
            handler.retire();
        } else {
            loop.execute(handler::retire);
        }
    }

    /// From home: ends at once.
    void close() {
        if (!loop.isShuttingDown()) { // channels end with their event loop
            loop.execute(handler::close);
        }
    }

    @Override
    public void streamOver() {
        shard.atHome(released);
    }

    @Override
    public void unusable(HboneFailure why) {
        shard.atHome(() -> shard.lost(this, why));
    }

    @Override
    public void peerLimit(long streams) {
        if (streams < limit) {
            shard.atHome(() -> limit = (int) streams);
        }
    }
}
