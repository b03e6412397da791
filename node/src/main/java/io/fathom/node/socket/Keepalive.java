// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import io.netty.channel.Channel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import java.time.Duration;

/// How the kernel finds out that a peer is gone. It is set on streams we dial, and on those taken from applications.
///
/// @param idle until the first probe
/// @param userTimeout whether unacknowledged data is given up after the same time as an idle connection
public record Keepalive(Duration idle, Duration interval, int probes, UserTimeout userTimeout) {
    private static final IntegerUnixChannelOption SO_KEEPALIVE =
            new IntegerUnixChannelOption("FATHOM_SO_KEEPALIVE", 1, 9);
    private static final IntegerUnixChannelOption TCP_KEEPIDLE =
            new IntegerUnixChannelOption("FATHOM_TCP_KEEPIDLE", 6, 4);
    private static final IntegerUnixChannelOption TCP_KEEPINTVL =
            new IntegerUnixChannelOption("FATHOM_TCP_KEEPINTVL", 6, 5);
    private static final IntegerUnixChannelOption TCP_KEEPCNT =
            new IntegerUnixChannelOption("FATHOM_TCP_KEEPCNT", 6, 6);
    private static final IntegerUnixChannelOption TCP_USER_TIMEOUT =
            new IntegerUnixChannelOption("FATHOM_TCP_USER_TIMEOUT", 6, 18);

    /// Whether TCP_USER_TIMEOUT is set.
    public enum UserTimeout {
        OFF,
        ON
    }

    public static final Keepalive DEFAULT =
            new Keepalive(Duration.ofMinutes(3), Duration.ofMinutes(3), 9, UserTimeout.OFF);

    /// To a stream, or to a listener: what that accepts has it then, without a call for each.
    public void applyTo(Channel channel) {
        var config = channel.config();
        var _ = config.setOption(SO_KEEPALIVE, 1);
        var _ = config.setOption(TCP_KEEPIDLE, seconds(idle));
        var _ = config.setOption(TCP_KEEPINTVL, seconds(interval));
        var _ = config.setOption(TCP_KEEPCNT, probes);
        if (userTimeout == UserTimeout.ON) {
            var limit = idle.plus(interval.multipliedBy(probes));
            var _ = config.setOption(TCP_USER_TIMEOUT, Math.toIntExact(limit.toMillis()));
        }
    }

    private static int seconds(Duration time) {
        return (int) Math.max(1, time.toSeconds());
    }
}
