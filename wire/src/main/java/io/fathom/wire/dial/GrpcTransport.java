// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import java.util.Optional;

/// How a [GrpcStream] gets its connection, and who may be at its other end. Called on the loop of the stream.
public interface GrpcTransport {
    /// Hears once how connecting went, on the loop.
    interface ConnectListener {
        void connected(Channel channel);

        void failed(String reason);
    }

    /// Opens a connection; its handlers are there before its first byte.
    void connect(EventLoop loop, ChannelInitializer<Channel> handlers, ConnectListener listener);

    /// TLS for a new connection; nothing for one without.
    Optional<SslHandler> tls(Channel channel);

    /// What is wrong with a connection whose handshake went well.
    Optional<String> objection(SslHandler tls);
}
