// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.util.Optional;

/// To the control plane of a node: known by its name, and shown a token at most.
final class ControlTransport implements GrpcTransport {
    private final ServerConfig server;
    private final SslContext context;

    /// Reads the roots.
    ///
    /// @throws io.fathom.base.lang.ProblemException when they cannot be read
    ControlTransport(ServerConfig server) {
        this.server = server;
        this.context = ControlTls.context(server.trust().roots(), server);
    }

    @Override
    public void connect(EventLoop loop, ChannelInitializer<Channel> handlers, ConnectListener listener) {
        SocketTransport.connect(server.host(), server.port(), loop, handlers, listener);
    }

    @Override
    public Optional<SslHandler> tls(Channel channel) {
        return Optional.of(context.newHandler(channel.alloc(), server.host(), server.port()));
    }

    @Override
    public Optional<String> objection(SslHandler tls) {
        return "h2".equals(tls.applicationProtocol())
                ? Optional.empty()
                : Optional.of("the server does not speak HTTP/2");
    }
}
