// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.time.Duration;

/// Connections over TCP, for transports that add TLS. Any thread.
public final class SocketTransport {
    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private SocketTransport() {}

    /// Dials a name or an address literal; names are looked up each time.
    public static void connect(
            String host,
            int port,
            EventLoop loop,
            ChannelInitializer<Channel> handlers,
            GrpcTransport.ConnectListener listener) {
        var connecting = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) CONNECT_TIMEOUT.toMillis())
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(handlers)
                .connect(host, port);
        var _ = connecting.addListener(done -> {
            if (done.isSuccess()) {
                listener.connected(connecting.channel());
            } else {
                listener.failed("cannot connect: " + done.cause());
            }
        });
    }
}
