package io.fathom.node.proxy;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.ByteBuffer;
import java.util.Optional;

/// Where a redirected connection was going.
@FunctionalInterface
public interface OriginalDestination {
    /// Asks the kernel what the address was before it was rewritten, else takes the socket's own address, which is what
    /// the client dialled when nothing was rewritten.
    OriginalDestination KERNEL = new OriginalDestination() {
        private static final int SOL_IP = 0;
        private static final int SOL_IPV6 = 41;
        private static final int SO_ORIGINAL_DST = 80;
        private static final RawUnixChannelOption V4 =
                new RawUnixChannelOption("SO_ORIGINAL_DST", SOL_IP, SO_ORIGINAL_DST, 16);
        private static final RawUnixChannelOption V6 =
                new RawUnixChannelOption("IP6T_SO_ORIGINAL_DST", SOL_IPV6, SO_ORIGINAL_DST, 28);

        @Override
        public IpPort of(EpollSocketChannel accepted) {
            var own = SocketAddresses.of(accepted.localAddress());
            var rewritten = own.ip().family() == Ip.Family.V4 ? ask(accepted, V4, 4, 4) : ask(accepted, V6, 8, 16);
            return rewritten.orElse(own);
        }

        // Both families begin with two bytes of family and two of port.
        private Optional<IpPort> ask(EpollSocketChannel accepted, RawUnixChannelOption option, int at, int length) {
            ByteBuffer raw;
            try {
                raw = accepted.config().getOption(option);
            } catch (RuntimeException e) {
                return Optional.empty(); // not tracked: nothing was rewritten
            }
            if (raw == null || raw.remaining() < at + length) {
                return Optional.empty();
            }
            var address = new byte[length];
            raw.get(raw.position() + at, address);
            var port = (raw.get(raw.position() + 2) & 0xff) << 8 | (raw.get(raw.position() + 3) & 0xff);
            return port == 0
                    ? Optional.empty()
                    : Optional.of(new IpPort(Ip.ofBytes(address).unmapped(), port));
        }
    };

    /// Called on an accepted channel that may not be registered yet.
    IpPort of(EpollSocketChannel accepted);
}
