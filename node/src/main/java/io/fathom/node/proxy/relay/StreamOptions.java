package io.fathom.node.proxy.relay;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollSocketChannel;
import java.time.Duration;
import java.util.Optional;

/// How the TCP connections of a relay behave.
///
/// @param keepalive when the kernel looks whether the peer is still there
public record StreamOptions(Optional<Keepalive> keepalive) {
    private static final int SMALLEST_READ = 1024;
    private static final int FIRST_READ = 4 * 1024;
    private static final int LARGEST_READ = 256 * 1024;
    private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(128 * 1024, 512 * 1024);

    public static final StreamOptions DEFAULT = new StreamOptions(Optional.of(Keepalive.DEFAULT));

    /// Keepalive probes.
    ///
    /// @param userTimeout whether unacknowledged data counts as well
    public record Keepalive(Duration time, Duration interval, int retries, UserTimeout userTimeout) {
        public static final Keepalive DEFAULT =
                new Keepalive(Duration.ofMinutes(3), Duration.ofMinutes(3), 9, UserTimeout.UNSET);
    }

    /// Whether TCP_USER_TIMEOUT is set to what the probes take together.
    public enum UserTimeout {
        UNSET,
        LIKE_PROBES
    }

    /// For a channel that reads only when told.
    public void apply(EpollSocketChannel channel) {
        var config = channel.config();
        config.setAutoRead(false);
        config.setAllowHalfClosure(true);
        config.setTcpNoDelay(true);
        config.setWriteBufferWaterMark(UNSENT);
        config.setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(SMALLEST_READ, FIRST_READ, LARGEST_READ));
        keepalive.ifPresent(probes -> {
            config.setKeepAlive(true);
            config.setTcpKeepIdle((int) probes.time().toSeconds());
            config.setTcpKeepIntvl((int) probes.interval().toSeconds());
            config.setTcpKeepCnt(probes.retries());
            if (probes.userTimeout() == UserTimeout.LIKE_PROBES) {
                config.setTcpUserTimeout((int) probes.time()
                        .plus(probes.interval().multipliedBy(probes.retries()))
                        .toMillis());
            }
        });
    }
}
