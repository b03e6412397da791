// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.wire.tls.TlsPeer;
import java.util.Optional;

/// Somebody who wants a tunnel: waits at the home of its key, then for the answer of the peer. If the peer has
/// surely not looked at the request, as after GOAWAY, it goes back to the pool.
final class PoolRequest implements Runnable, ClientAnswer.AnswerListener {
    private static final int MAX_ATTEMPTS = 3;

    private final PoolShard shard;
    private final TunnelKey key;
    private final ConnectHeaders headers;
    private final TunnelOpening opening;
    private TlsPeer peer = TlsPeer.NONE;
    private int attempts;

    PoolRequest(PoolShard shard, TunnelKey key, ConnectHeaders headers, TunnelOpening opening) {
        this.shard = shard;
        this.key = key;
        this.headers = headers;
        this.opening = opening;
    }

    TunnelKey key() {
        return key;
    }

    /// On the event loop of the home.
    @Override
    public void run() {
        shard.take(this);
    }

    /// On the event loop of the connection.
    void send(HboneClientHandler connection, TlsPeer to) {
        attempts++;
        peer = to;
        connection.open(headers, this);
    }

    @Override
    public void accepted(Tunnel tunnel, Optional<String> baggage) {
        opening.opened(new TunnelOpening.Opened(tunnel, peer, baggage));
    }

    @Override
    public void failed(HboneFailure failure) {
        opening.failed(failure);
    }

    @Override
    public void unsent(HboneFailure failure) {
        if (attempts < MAX_ATTEMPTS) {
            shard.again(this);
        } else {
            opening.failed(failure);
        }
    }
}
