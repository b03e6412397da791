// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import io.fathom.model.mesh.Ip;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannelOption;
import java.util.function.Supplier;

/// Makes sockets in the namespace of the calling thread, with what the config wants. For any thread.
final class SocketMaker {
    private static final IntegerUnixChannelOption SO_MARK = new IntegerUnixChannelOption("FATHOM_SO_MARK", 1, 36);

    private final SocketConfig config;
    private final SocketProtocolFamily family;
    private volatile boolean canKeepSource;

    /// Tries all kinds once: the classes are there from then on, so that no thread has to be started for them while
    /// in another namespace, and missing capabilities show up now.
    ///
    /// @throws ChannelException if a mark or a kept source is required but not permitted
    SocketMaker(SocketConfig config) {
        this.config = config;
        Epoll.ensureAvailability();
        // a kernel without any IPv6 has no sockets for both
        this.family = config.families() == SocketConfig.Families.BOTH && Socket.isIPv6Preferred()
                ? SocketProtocolFamily.INET6
                : SocketProtocolFamily.INET;
        discard(listener());
        discard(stream());
        discard(datagram());
    }

    SocketConfig config() {
        return config;
    }

    boolean canKeepSource() {
        return canKeepSource;
    }

    EpollServerSocketChannel listener() {
        return listener(Ip.Family.V6);
    }

    EpollServerSocketChannel listener(Ip.Family wanted) {
        return prepared(() -> new EpollServerSocketChannel(family(wanted)), channel -> {
            mark(channel);
            var _ = channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
            if (config.portReuse() == SocketConfig.PortReuse.YES) {
                var _ = channel.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
            }
            if (config.keepSource() != SocketConfig.KeepSource.NEVER) {
                keepSource(channel);
            }
        });
    }

    private void keepSource(EpollServerSocketChannel channel) {
        try {
            var _ = channel.config().setOption(EpollChannelOption.IP_TRANSPARENT, true); // serves IPv6 too
            canKeepSource = true;
        } catch (ChannelException e) {
            if (config.keepSource() == SocketConfig.KeepSource.REQUIRED) {
                throw new ChannelException(
                        "IP_TRANSPARENT is required but not permitted; the process needs CAP_NET_ADMIN or CAP_NET_RAW",
                        e);
            }
        }
    }

    EpollSocketChannel stream() {
        return prepared(() -> new EpollSocketChannel(family), channel -> {
            mark(channel); // Netty has set TCP_NODELAY
            config.keepalive().ifPresent(keepalive -> keepalive.applyTo(channel));
        });
    }

    EpollDatagramChannel datagram() {
        return datagram(Ip.Family.V6);
    }

    EpollDatagramChannel datagram(Ip.Family wanted) {
        return prepared(() -> new EpollDatagramChannel(family(wanted)), channel -> {
            mark(channel);
            if (config.portReuse() == SocketConfig.PortReuse.YES) {
                var _ = channel.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
            }
        });
    }

    /// Sockets of IPv6 take IPv4 along.
    private SocketProtocolFamily family(Ip.Family wanted) {
        return wanted == Ip.Family.V4 ? SocketProtocolFamily.INET : family;
    }

    private void mark(Channel channel) {
        if (config.mark().isEmpty()) {
            return;
        }
        try {
            var _ = channel.config().setOption(SO_MARK, config.mark().getAsInt());
        } catch (ChannelException e) {
            throw new ChannelException(
                    "SO_MARK is not permitted; the process needs CAP_NET_ADMIN, or CAP_NET_RAW on Linux 5.17 and later",
                    e);
        }
    }

    private interface Preparation<C> {
        void of(C channel);
    }

    private static <C extends Channel> C prepared(Supplier<C> constructor, Preparation<C> preparation) {
        var channel = constructor.get();
        try {
            preparation.of(channel);
            return channel;
        } catch (RuntimeException e) {
            discard(channel);
            throw e;
        }
    }

    /// Closes one that no event loop knows yet.
    static void discard(Channel channel) {
        channel.unsafe().closeForcibly();
    }
}
