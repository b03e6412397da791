// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;
import io.fathom.node.proxy.Dialer;
import io.fathom.node.proxy.relay.Relay;
import io.fathom.wire.hbone.HboneLimits;
import io.fathom.wire.hbone.HboneServer;
import io.fathom.wire.hbone.Reply;
import io.fathom.wire.hbone.TunnelAcceptor;
import io.fathom.wire.hbone.TunnelRequest;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/// Takes tunnels as somebody who is no node proxy, and passes what is in them on. Ends with its node.
final class TestGateway implements TunnelAcceptor {
    final List<TunnelRequest> requests = new CopyOnWriteArrayList<>();
    private final TestNode node;
    private final HboneServer server;
    private final Dialer dialer;
    private final Function<TunnelRequest, IpPort> target;

    TestGateway(TestNode node, String account, Function<TunnelRequest, IpPort> target) {
        this.node = node;
        this.target = target;
        this.dialer = new Dialer(node.sockets, Duration.ofSeconds(2));
        var own = new Identity("cluster.local", "ns1", account);
        this.server = node.closing(new HboneServer(own, node.certificates, node.tls(), HboneLimits.DEFAULT, this));
    }

    void start(String address, int port) {
        var channel = new ServerBootstrap()
                .group(node.loops)
                .channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel accepted) {
                        server.serve(accepted);
                    }
                })
                .bind(address, port)
                .syncUninterruptibly()
                .channel();
        node.closing(() -> channel.close().syncUninterruptibly());
    }

    @Override
    public void requested(TunnelRequest request, Reply reply) {
        requests.add(request);
        dialer.dial(request.loop(), target.apply(request), Optional.empty(), new Dialer.DialListener() {
            @Override
            public void connected(EpollSocketChannel channel) {
                Relay.of(reply.accept(Optional.empty()), channel, new Relay.Observer() {
                            @Override
                            public void fromClient(int bytes) {}

                            @Override
                            public void fromServer(int bytes) {}

                            @Override
                            public void ended() {}
                        })
                        .start();
            }

            @Override
            public void failed(Dialer.Failure failure) {
                reply.refuse(503, failure.message());
            }
        });
    }
}
