// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.peering;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.peering.ControlPlanes;
import io.fathom.wire.dial.GrpcTransport.ConnectListener;
import io.fathom.wire.hbone.ChannelOpening;
import io.fathom.wire.hbone.ConnectHeaders;
import io.fathom.wire.hbone.HboneFailure;
import io.fathom.wire.hbone.HboneLimits;
import io.fathom.wire.hbone.HbonePool;
import io.fathom.wire.hbone.TunnelKey;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.MeshTls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// Connections to control planes behind gateways that take tunnels only. The gateway proves who it is, and so does,
/// inside the tunnel, the control plane. On one event loop.
public final class PeerTunnels implements AutoCloseable {
    private static final Ip ANYWHERE = Ip.parse("0.0.0.0").orElseThrow();

    private final Identity self;
    private final HbonePool pool;

    /// @param self our control plane
    /// @param identity what it shows now
    public PeerTunnels(Identity self, Supplier<TlsIdentity> identity, MeshTls tls, EventLoop loop) {
        this.self = self;
        pool = new HbonePool(
                List.of(loop),
                NioSocketChannel::new,
                _ -> CompletableFuture.supplyAsync(identity, Runnable::run),
                tls,
                HboneLimits.DEFAULT);
    }

    /// Opens a connection to the control plane behind a gateway; names are looked up each time.
    ///
    /// @param gateways who may take the tunnel
    void connect(
            String host,
            int port,
            Set<Identity> gateways,
            EventLoop loop,
            ChannelInitializer<Channel> handlers,
            ConnectListener listener) {
        var _ = DefaultAddressResolverGroup.INSTANCE
                .getResolver(loop)
                .resolve(InetSocketAddress.createUnresolved(host, port))
                .addListener(done -> {
                    var hop = done.isSuccess() ? hop((InetSocketAddress) done.getNow()) : Optional.<IpPort>empty();
                    if (hop.isPresent()) {
                        open(new TunnelKey(self, gateways, hop.get(), ANYWHERE), handlers, listener);
                    } else {
                        listener.failed("no address of that name: " + done.cause());
                    }
                });
    }

    private static Optional<IpPort> hop(InetSocketAddress found) {
        return Ip.parse(found.getAddress().getHostAddress()).map(ip -> new IpPort(ip, found.getPort()));
    }

    private void open(TunnelKey key, ChannelInitializer<Channel> handlers, ConnectListener listener) {
        var headers = new ConnectHeaders(
                ControlPlanes.AUTHORITY, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
        pool.open(key, headers, new ChannelOpening(handlers, new ChannelOpening.ChannelListener() {
            @Override
            public void opened(Channel channel) {
                listener.connected(channel);
            }

            @Override
            public void failed(HboneFailure failure) {
                listener.failed("its gateway opens no tunnel to it: " + failure);
            }
        }));
    }

    @Override
    public void close() {
        pool.close();
    }
}
