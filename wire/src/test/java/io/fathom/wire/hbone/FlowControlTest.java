// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Much data through small windows: nothing is lost, nothing is held back for ever.
class FlowControlTest {
    private static final int TOTAL = 32 << 20;

    private final TestMesh mesh = new TestMesh();
    private final Echo echo = new Echo();
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final List<AutoCloseable> things = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (var thing : things.reversed()) {
            thing.close();
        }
        var _ = group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS);
    }

    private HbonePool pool(HboneLimits limits) {
        var loops = new ArrayList<EventLoop>();
        group.forEach(loop -> loops.add((EventLoop) loop));
        var pool = new HbonePool(loops, EpollSocketChannel::new, mesh, TestMesh.tls(), limits);
        things.add(pool);
        return pool;
    }

    private TestServer server(HboneLimits limits, TunnelAcceptor acceptor) {
        var server = new TestServer(mesh, TestMesh.tls(), limits, acceptor);
        things.add(server);
        return server;
    }

    /// Sends bytes that depend on their position, in writes of random sizes, and checks them when they come back.
    private static final class Pump implements TunnelOpening, TunnelListener {
        private final int total;
        private final int largest;
        private final Random dice;
        private final CompletableFuture<Integer> done = new CompletableFuture<>();
        private int sent;
        private int received;
        private @org.jspecify.annotations.Nullable Tunnel tunnel;

        Pump(int total, int largest, long seed) {
            this.total = total;
            this.largest = largest;
            this.dice = new Random(seed);
        }

        @Override
        public void opened(TunnelOpening.Opened opened) {
            tunnel = opened.tunnel();
            opened.tunnel().listen(this);
            fill(opened.tunnel());
        }

        @Override
        public void failed(HboneFailure failure) {
            done.completeExceptionally(new AssertionError(failure.toString()));
        }

        private void fill(Tunnel out) {
            while (sent < total && out.isWritable()) {
                var bytes = Math.min(total - sent, 1 + dice.nextInt(largest));
                var content = new byte[bytes];
                for (int i = 0; i < bytes; i++) {
                    content[i] = (byte) at(sent++);
                }
                out.write(PooledByteBufAllocator.DEFAULT.buffer(bytes).writeBytes(content));
                if (dice.nextInt(4) == 0) {
                    out.flush();
                }
            }
            out.flush();
            if (sent == total) {
                out.finish();
            }
        }

        private static int at(int position) {
            return position * 31 ^ position >>> 11;
        }

        @Override
        public void received(ByteBuf data) {
            var bytes = data.readableBytes();
            var content = ByteBufUtil.getBytes(data);
            for (var value : content) {
                if (value != (byte) at(received++)) {
                    done.completeExceptionally(new AssertionError("wrong byte at " + (received - 1)));
                    break;
                }
            }
            data.release();
            var in = tunnel;
            if (in != null) {
                in.consumed(bytes);
            }
        }

        @Override
        public void readComplete() {}

        @Override
        public void writable() {
            var out = tunnel;
            if (out != null) {
                fill(out);
            }
        }

        @Override
        public void finished() {
            done.complete(received);
        }

        @Override
        public void reset(Tunnel.Reset reason) {
            done.completeExceptionally(new AssertionError("reset after " + received + ": " + reason));
        }
    }

    private static int result(Pump pump) {
        return pump.done.orTimeout(20, java.util.concurrent.TimeUnit.SECONDS).join();
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 1_024, 16_320, 262_080, 3_000_000})
    void case58_given32MegabytesAndWritesUpToASize_whenEchoed_thenEveryByteComesBack(int largest) {
        var server = server(HboneLimits.DEFAULT, echo);
        var pump = new Pump(largest == 100 ? TOTAL / 8 : TOTAL, largest, largest);
        pool(HboneLimits.DEFAULT).open(TestTunnel.key(server.address()), ConnectHeaders.to("a:1"), pump);
        assertThat(result(pump)).isEqualTo(pump.total);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void givenTheSmallestWindows_whenManyStreamsShareThem_thenAllEnd(long seed) {
        var limits = HboneLimits.DEFAULT.with(new HboneLimits.Windows(65_535, 65_535, 16_384, 10_000));
        var server = server(limits, echo);
        var pool = pool(limits);
        var pumps = IntStream.range(0, 20)
                .mapToObj(i -> new Pump(200_000 + i, 40_000, seed * 100 + i))
                .toList();
        pumps.forEach(pump -> pool.open(TestTunnel.key(server.address()), ConnectHeaders.to("a:1"), pump));
        pumps.forEach(pump -> assertThat(result(pump)).isEqualTo(pump.total));
        assertThat(server.accepted).hasValue(1);
    }

    @Test
    void givenAReaderThatStops_whenOthersWrite_thenTheyAreNotHeldUp_andTheWriterIsToldToStop() {
        var held = new CompletableFuture<Tunnel>();
        var server = server(HboneLimits.DEFAULT, (request, reply) -> {
            if (request.headers().authority().equals("stuck:1")) {
                held.complete(reply.accept(java.util.Optional.empty())); // and never listens
            } else {
                echo.requested(request, reply);
            }
        });
        var pool = pool(HboneLimits.DEFAULT);
        var stuck = new Pump(TOTAL, 100_000, 1);
        pool.open(TestTunnel.key(server.address()), ConnectHeaders.to("stuck:1"), stuck);
        await().until(() -> stuck.sent > (4 << 20));
        var free = new Pump(TOTAL / 4, 100_000, 2);
        pool.open(TestTunnel.key(server.address()), ConnectHeaders.to("a:1"), free);
        assertThat(result(free)).isEqualTo(free.total);
        // the window, and what is kept for the stream
        assertThat(stuck.sent).isLessThan((4 << 20) + (1 << 20));
        assertThat(server.accepted).hasValue(1);
        var tunnel = held.join();
        tunnel.loop().execute(() -> tunnel.reset(Tunnel.Reset.CANCELLED));
        await().until(stuck.done::isCompletedExceptionally);
    }
}
