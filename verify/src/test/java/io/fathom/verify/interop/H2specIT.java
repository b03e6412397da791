package io.fathom.verify.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.verify.peers.StockProgram;
import io.fathom.wire.hbone.HboneLimits;
import io.fathom.wire.hbone.HboneServerHandler;
import io.fathom.wire.tls.TlsPeer;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// h2spec, strict cases too, against the server side of HBONE without its TLS. There are no exceptions.
@Tag("interop")
@Tag("slow")
class H2specIT {
    /// h2spec takes 16 KiB for the largest frame whatever the server announces: one case sends a little more and
    /// wants an error, which a server that allows 1 MiB has no reason for.
    private static final HboneLimits LIMITS =
            HboneLimits.DEFAULT.with(new HboneLimits.Windows(4 << 20, 16 << 20, 16 << 10, 256 << 10));

    @Test
    @Timeout(120)
    void givenOurServer_whenH2specRuns_thenNothingFails() throws Exception {
        var h2spec = StockProgram.H2SPEC.require();
        var group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try {
            var listener = new ServerBootstrap()
                    .group(group)
                    .channel(EpollServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline()
                                    .addLast(new HboneServerHandler(
                                            (request, reply) -> reply.refuse(400, "only CONNECT is served here"),
                                            TlsPeer.NONE,
                                            LIMITS));
                        }
                    })
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .syncUninterruptibly()
                    .channel();
            var port = ((InetSocketAddress) listener.localAddress()).getPort();
            var process = new ProcessBuilder(
                            h2spec.toString(), "--strict", "--timeout", "2", "--port", Integer.toString(port))
                    .redirectErrorStream(true)
                    .start();
            var output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);

            assertThat(process.waitFor()).as(output).isZero();
            assertThat(output).contains(" 0 failed");
        } finally {
            var _ = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }
}
