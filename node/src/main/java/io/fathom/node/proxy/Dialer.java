// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.node.proxy.relay.StreamOptions;
import io.fathom.node.socket.Sockets;
import io.fathom.wire.net.SocketAddresses;
import io.netty.channel.ChannelException;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import java.time.Duration;
import java.util.Optional;

/// Opens TCP connections that do not read until they are told to.
public final class Dialer {
    private final Sockets sockets;
    private final Duration timeout;

    public Dialer(Sockets sockets, Duration timeout) {
        this.sockets = sockets;
        this.timeout = timeout;
    }

    /// Hears exactly once, on the event loop, how a dial went.
    public interface DialListener {
        /// The receiver owns it.
        void connected(EpollSocketChannel channel);

        void failed(Failure failure);
    }

    /// Why there is no connection.
    public record Failure(DialFailureCause kind, String message) {
        /// Whether somebody answered at all.
        public enum DialFailureCause {
            TIMEOUT,
            REFUSED
        }
    }

    /// Dials on `loop`, and stays there.
    ///
    /// @param source the address to come from, even one that is not ours
    public void dial(EventLoop loop, IpPort target, Optional<Ip> source, DialListener outcome) {
        EpollSocketChannel channel;
        try {
            channel = sockets.stream();
        } catch (ChannelException e) {
            outcome.failed(new Failure(Failure.DialFailureCause.REFUSED, "no socket: " + e.getMessage()));
            return;
        }
        try {
            StreamOptions.apply(channel);
            channel.config().setConnectTimeoutMillis((int) timeout.toMillis());
            if (source.isPresent()) {
                channel.config().setOption(EpollChannelOption.IP_TRANSPARENT, true);
                channel.config().setOption(EpollChannelOption.IP_FREEBIND, true);
                channel.config().setOption(EpollChannelOption.IP_BIND_ADDRESS_NO_PORT, true);
            }
        } catch (ChannelException e) {
            channel.unsafe().closeForcibly();
            outcome.failed(
                    new Failure(Failure.DialFailureCause.REFUSED, "cannot dial " + target + ": " + e.getMessage()));
            return;
        }
        loop.register(channel).addListener(registered -> {
            if (!registered.isSuccess()) {
                outcome.failed(new Failure(Failure.DialFailureCause.REFUSED, "the proxy is shutting down"));
                return;
            }
            var remote = SocketAddresses.of(target);
            var connecting = source.isPresent()
                    ? channel.connect(remote, SocketAddresses.of(source.get(), 0))
                    : channel.connect(remote);
            connecting.addListener(connected -> {
                if (connected.isSuccess()) {
                    outcome.connected(channel);
                } else {
                    var _ = channel.close();
                    outcome.failed(failure(target, connected.cause()));
                }
            });
        });
    }

    private Failure failure(IpPort target, Throwable cause) {
        if (cause instanceof ConnectTimeoutException) {
            return new Failure(
                    Failure.DialFailureCause.TIMEOUT,
                    "connection to " + target + " timed out after " + timeout.toMillis() + "ms");
        }
        var text = cause.getMessage();
        return new Failure(
                Failure.DialFailureCause.REFUSED,
                "connection to " + target + " failed: "
                        + (text == null ? cause.getClass().getSimpleName() : text));
    }
}
