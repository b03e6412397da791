// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import java.util.Optional;

/// Without TLS, to a server on the same machine.
record ClearTransport(String host, int port) implements GrpcTransport {
    @Override
    public void connect(EventLoop loop, ChannelInitializer<Channel> handlers, ConnectListener listener) {
        SocketTransport.connect(host, port, loop, handlers, listener);
    }

    @Override
    public Optional<SslHandler> tls(Channel channel) {
        return Optional.empty();
    }

    @Override
    public Optional<String> objection(SslHandler tls) {
        return Optional.empty();
    }
}
