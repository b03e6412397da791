// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.wire.net.SocketAddresses;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Where a redirected connection was going before the kernel turned it to us. For any thread.
public final class OriginalDestination {
    private static final RawUnixChannelOption V4 = new RawUnixChannelOption("FATHOM_ORIGINAL_DST", 0, 80, 16);
    private static final RawUnixChannelOption V6 = new RawUnixChannelOption("FATHOM_ORIGINAL_DST_V6", 41, 80, 28);
    private static final int PORT = 2;
    private static final int V4_ADDRESS = 4;
    private static final int V6_ADDRESS = 8;

    private OriginalDestination() {}

    /// What connection tracking remembers of an accepted connection; else its local address, which is the destination
    /// if it was not redirected or came by TPROXY. IPv4 in IPv6 is folded.
    public static IpPort of(EpollSocketChannel channel) {
        var local = SocketAddresses.of(channel.localAddress());
        // Redirection keeps the family, so the other one need not be asked.
        var original = local.ip().family() == Ip.Family.V4
                ? read(channel, V4, V4_ADDRESS, 4)
                : read(channel, V6, V6_ADDRESS, 16);
        return original == null ? local : original.unmapped();
    }

    private static @Nullable IpPort read(EpollSocketChannel channel, RawUnixChannelOption option, int at, int length) {
        @Nullable ByteBuffer raw;
        try {
            raw = channel.config().getOption(option);
        } catch (ChannelException e) {
            return null; // not tracked
        }
        if (raw == null || raw.limit() < at + length) {
            return null;
        }
        var bytes = new byte[length];
        raw.get(at, bytes);
        var port = (raw.get(PORT) & 0xff) << 8 | (raw.get(PORT + 1) & 0xff);
        return new IpPort(Ip.ofBytes(bytes), port);
    }
}
