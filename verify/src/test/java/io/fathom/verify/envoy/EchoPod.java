// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.hbone.HboneLimits;
import io.fathom.wire.hbone.HboneServer;
import io.fathom.wire.hbone.Reply;
import io.fathom.wire.hbone.Tunnel;
import io.fathom.wire.hbone.TunnelAcceptor;
import io.fathom.wire.hbone.TunnelListener;
import io.fathom.wire.hbone.TunnelRequest;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.PeerRules;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/// A pod with its node proxy, played by this process: takes tunnels on the HBONE port. HTTP requests in them are
/// answered with the name of the pod and the request itself; any other bytes come back after the name of the pod.
public final class EchoPod implements AutoCloseable {
    private static final int HBONE = 15008;

    private final String name;
    private final String ip;
    private final HboneServer server;
    private final Channel listener;
    private final Queue<TunnelRequest> tunnels = new ConcurrentLinkedQueue<>();

    public EchoPod(String name, String ip, Identity identity, LabAuthority authority, EventLoopGroup loops) {
        this.name = name;
        this.ip = ip;
        var tls = new MeshTls(PeerRules.of(Set.of(), InstantSource.system()));
        server = new HboneServer(identity, authority, tls, HboneLimits.DEFAULT, new Answers());
        listener = new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        server.serve(channel);
                    }
                })
                .bind(ip, HBONE)
                .syncUninterruptibly()
                .channel();
    }

    String name() {
        return name;
    }

    String ip() {
        return ip;
    }

    /// Who asked for what, oldest first.
    List<TunnelRequest> tunnels() {
        return List.copyOf(tunnels);
    }

    /// Takes no more tunnels; what is open goes on to its end.
    void drain() {
        server.drain();
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        server.close();
    }

    private final class Answers implements TunnelAcceptor {
        @Override
        public void requested(TunnelRequest request, Reply reply) {
            tunnels.add(request);
            var tunnel = reply.accept(Optional.empty());
            tunnel.listen(new Conversation(tunnel));
        }
    }

    private final class Conversation implements TunnelListener {
        private final Tunnel tunnel;
        private final StringBuilder text = new StringBuilder();

        Conversation(Tunnel tunnel) {
            this.tunnel = tunnel;
        }

        @Override
        public void received(ByteBuf data) {
            text.append(data.toString(StandardCharsets.ISO_8859_1));
            tunnel.consumed(data.readableBytes());
            data.release();
        }

        @Override
        public void readComplete() {
            var isHttp = text.indexOf(" HTTP/1.1\r\n") > 0;
            for (var end = text.indexOf("\r\n\r\n"); isHttp && end >= 0; end = text.indexOf("\r\n\r\n")) {
                var body = name + "\n" + text.substring(0, end) + "\n";
                text.delete(0, end + 4);
                say("HTTP/1.1 200 OK\r\nx-pod: " + name + "\r\ncontent-length: " + body.length() + "\r\n\r\n" + body);
            }
            if (!isHttp && !text.isEmpty()) {
                say(name + ":" + text);
                text.setLength(0);
            }
        }

        private void say(String answer) {
            tunnel.write(Unpooled.copiedBuffer(answer, StandardCharsets.ISO_8859_1));
            tunnel.flush();
        }

        @Override
        public void writable() {}

        @Override
        public void finished() {
            tunnel.finish();
        }

        @Override
        public void reset(Tunnel.Reset reason) {}
    }
}
