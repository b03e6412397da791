// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.wire.tls.CertificateSource;
import io.fathom.wire.tls.MeshTls;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// Opens tunnels, sharing connections between those with the same key.
///
/// Each key has a home, one of the event loops, which alone knows the key's connections: so nothing is locked.
/// The first connection of a key lives at home, further ones on the following event loops. One dial at a time for
/// each key; those who wait for it all hear how it went, and nobody waits for another key. Any thread.
public final class HbonePool implements AutoCloseable {
    private final List<PoolShard> shards;
    private final CertificateSource certificates;
    private final MeshTls tls;
    private final HboneLimits limits;

    /// A pool that dials with sockets of one place.
    ///
    /// @param loops to spread connections over
    /// @param sockets makes unregistered ones, such as `Sockets::stream`; called on event loops
    public HbonePool(
            List<? extends EventLoop> loops,
            Supplier<? extends Channel> sockets,
            CertificateSource certificates,
            MeshTls tls,
            HboneLimits limits) {
        this.certificates = certificates;
        this.tls = tls;
        this.limits = limits;
        var made = new ArrayList<PoolShard>(loops.size());
        for (int i = 0; i < loops.size(); i++) {
            made.add(new PoolShard(i, List.copyOf(loops), new Dialer(sockets, tls, limits), certificates, limits));
        }
        this.shards = List.copyOf(made);
    }

    /// Opens a tunnel over a shared connection. `opening` hears of the outcome, whatever it is.
    public void open(TunnelKey key, ConnectHeaders headers, TunnelOpening opening) {
        var hash = key.hashCode();
        var shard = shards.get(Math.floorMod(hash ^ hash >>> 16, shards.size()));
        shard.open(new PoolRequest(shard, key, headers, opening));
    }

    /// Opens a tunnel inside a tunnel. Only the outer connection is shared; the inner one ends with its tunnel.
    public void openInner(TunnelKey key, ConnectHeaders headers, InnerTunnel inner, TunnelOpening opening) {
        open(key, headers, new InnerOpening(key.hop(), inner, certificates, tls, limits, opening));
    }

    /// How many shared connections there are, more or less.
    public int connections() {
        return shards.stream().mapToInt(PoolShard::connections).sum();
    }

    /// Ends the connections to peers with such a chain, in use or not.
    public void cut(Predicate<List<X509Certificate>> revoked) {
        shards.forEach(shard -> shard.cut(revoked));
    }

    /// Takes no more tunnels; connections end with their last tunnel.
    public void drain() {
        shards.forEach(PoolShard::drain);
    }

    /// Ends all connections at once.
    @Override
    public void close() {
        shards.forEach(PoolShard::close);
    }
}
