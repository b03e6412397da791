// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import java.time.Duration;

/// How the kernel finds out that a peer is gone. It is set on streams we dial, and on those taken from applications.
///
/// @param idle until the first probe
/// @param userTimeout whether unacknowledged data is given up after the same time as an idle connection
public record Keepalive(Duration idle, Duration interval, int probes, UserTimeout userTimeout) {
    /// Whether TCP_USER_TIMEOUT is set.
    public enum UserTimeout {
        OFF,
        ON
    }

    public static final Keepalive DEFAULT =
            new Keepalive(Duration.ofMinutes(3), Duration.ofMinutes(3), 9, UserTimeout.OFF);

    public void applyTo(EpollSocketChannel channel) {
        var config = channel.config();
        var _ = config.setOption(ChannelOption.SO_KEEPALIVE, true);
        var _ = config.setOption(EpollChannelOption.TCP_KEEPIDLE, seconds(idle));
        var _ = config.setOption(EpollChannelOption.TCP_KEEPINTVL, seconds(interval));
        var _ = config.setOption(EpollChannelOption.TCP_KEEPCNT, probes);
        if (userTimeout == UserTimeout.ON) {
            var limit = idle.plus(interval.multipliedBy(probes));
            var _ = config.setOption(EpollChannelOption.TCP_USER_TIMEOUT, Math.toIntExact(limit.toMillis()));
        }
    }

    private static int seconds(Duration time) {
        return (int) Math.max(1, time.toSeconds());
    }
}
