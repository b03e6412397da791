package io.fathom.node.socket;

import io.netty.channel.Channel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import java.util.List;

/// Lets a socket come from, or be reached at, addresses of other hosts. Takes effect before it is bound.
public final class SourceAddress {
    private static final int SOL_IP = 0;
    private static final int SOL_IPV6 = 41;

    private static final IntegerUnixChannelOption IP_TRANSPARENT =
            new IntegerUnixChannelOption("FATHOM_IP_TRANSPARENT", SOL_IP, 19);
    private static final IntegerUnixChannelOption IPV6_TRANSPARENT =
            new IntegerUnixChannelOption("FATHOM_IPV6_TRANSPARENT", SOL_IPV6, 75);
    private static final IntegerUnixChannelOption IP_FREEBIND =
            new IntegerUnixChannelOption("FATHOM_IP_FREEBIND", SOL_IP, 15);
    private static final IntegerUnixChannelOption IPV6_FREEBIND =
            new IntegerUnixChannelOption("FATHOM_IPV6_FREEBIND", SOL_IPV6, 78);

    private SourceAddress() {}

    /// Allows `bind` to any address. Sockets here are of both families unless IPv6 is off, so both are set.
    ///
    /// @throws io.netty.channel.ChannelException if the process may not
    public static void allowAny(Channel channel, SocketConfig.Families families) {
        transparent(channel, families);
        for (var option : freebind(families)) {
            var _ = channel.config().setOption(option, 1);
        }
    }

    private static List<IntegerUnixChannelOption> freebind(SocketConfig.Families families) {
        return families == SocketConfig.Families.BOTH ? List.of(IP_FREEBIND, IPV6_FREEBIND) : List.of(IP_FREEBIND);
    }

    static void transparent(Channel channel, SocketConfig.Families families) {
        var _ = channel.config().setOption(IP_TRANSPARENT, 1);
        if (families == SocketConfig.Families.BOTH) {
            var _ = channel.config().setOption(IPV6_TRANSPARENT, 1);
        }
    }
}
