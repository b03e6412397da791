// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.model.mesh.IpPort;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HbonePoolTest {
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

    private TestServer server() {
        return server(HboneLimits.DEFAULT, echo);
    }

    private TestServer server(HboneLimits limits, TunnelAcceptor acceptor) {
        var server = new TestServer(mesh, TestMesh.tls(), limits, acceptor);
        things.add(server);
        return server;
    }

    private HbonePool pool(HboneLimits limits) {
        var loops = new ArrayList<EventLoop>();
        group.forEach(loop -> loops.add((EventLoop) loop));
        var pool = new HbonePool(loops, EpollSocketChannel::new, mesh, TestMesh.tls(), limits);
        things.add(pool);
        return pool;
    }

    private static HboneLimits streams(int limit) {
        return HboneLimits.DEFAULT.withStreamsPerConnection(limit);
    }

    private static HboneLimits.Times times(Duration dial, Duration handshake, Duration reply, Duration idle) {
        return new HboneLimits.Times(dial, handshake, reply, idle, Duration.ofSeconds(10), Duration.ofSeconds(20));
    }

    @Test
    void givenAnEchoServer_whenATunnelIsOpened_thenBytesComeBackAndBothDirectionsEnd() {
        var server = server();
        var tunnel = TestTunnel.through(
                pool(HboneLimits.DEFAULT),
                TestTunnel.key(server.address()),
                new ConnectHeaders(
                        "10.0.0.2:80",
                        java.util.Optional.of("k8s.cluster.name=a"),
                        java.util.Optional.of("for=\"10.0.0.1:5\""),
                        java.util.Optional.of("00-1-2-00"),
                        java.util.Optional.of("net1"),
                        java.util.Optional.of("gateway"),
                        ConnectHeaders.TunnelOrigin.PLAIN_TEXT));
        assertThat(tunnel.send("hello").finish().answer()).isEqualTo("hello");
        var opened = TestTunnel.within(tunnel.opened);
        assertThat(opened.baggage()).contains("service.name=echo");
        assertThat(opened.peer().identity()).contains(TestMesh.SERVER);
        var request = echo.requests.element();
        assertThat(request.tls().identity()).contains(TestMesh.CLIENT);
        assertThat(request.method()).isEqualTo("CONNECT");
        assertThat(request.headers().authority()).isEqualTo("10.0.0.2:80");
        assertThat(request.headers().forwardedNetwork()).contains("net1");
        assertThat(request.headers().source()).contains("gateway");
        assertThat(request.headers().origin()).isEqualTo(ConnectHeaders.TunnelOrigin.PLAIN_TEXT);
        assertThat(request.local()).isEqualTo(server.address());
    }

    @Test
    void givenThousandsOfShortStreams_whenEachEndsWithAnEmptyFrame_thenThatIsNoFloodAndOneConnectionServesAll() {
        var server = server();
        var pool = pool(HboneLimits.DEFAULT);
        var key = TestTunnel.key(server.address());
        for (int round = 0; round < 60; round++) {
            var tunnels = IntStream.range(0, 50)
                    .mapToObj(i -> TestTunnel.through(pool, key))
                    .toList();
            tunnels.forEach(tunnel -> TestTunnel.within(tunnel.opened));
            tunnels.forEach(TestTunnel::finish);
            tunnels.forEach(tunnel -> assertThat(tunnel.answer()).isEmpty());
        }
        assertThat(server.accepted).hasValue(1);
    }

    @Test
    void case50_givenLimit3_whenTwoStreamsAreOpen_thenTheyShareAConnectionAndItIsReusedLater() {
        var server = server();
        var pool = pool(streams(3));
        var key = TestTunnel.key(server.address());
        var first = TestTunnel.through(pool, key).send("a");
        var second = TestTunnel.through(pool, key).send("b");
        assertThat(first.finish().answer()).isEqualTo("a");
        assertThat(second.finish().answer()).isEqualTo("b");
        assertThat(TestTunnel.through(pool, key).send("c").finish().answer()).isEqualTo("c");
        assertThat(server.accepted).hasValue(1);
    }

    @Test
    void case51_givenDistinctKeys_whenOpened_thenEachHasItsConnection() {
        var server = server();
        var pool = pool(streams(100));
        for (var source : List.of("10.0.0.1", "10.0.0.2", "10.0.0.3")) {
            assertThat(TestTunnel.through(pool, TestTunnel.key(server.address(), source))
                            .send("x")
                            .finish()
                            .answer())
                    .isEqualTo("x");
        }
        assertThat(server.accepted).hasValue(3);
        assertThat(pool.connections()).isEqualTo(3);
    }

    @Test
    void case52_givenLimit2_whenFourStreamsAreOpen_thenThereAreTwoConnections() {
        var server = server();
        var pool = pool(streams(2));
        var key = TestTunnel.key(server.address());
        var open = IntStream.range(0, 4)
                .mapToObj(i -> TestTunnel.through(pool, key))
                .toList();
        open.forEach(TestTunnel::tunnel);
        assertThat(server.accepted).hasValue(2);
        open.forEach(tunnel -> assertThat(tunnel.send("x").finish().answer()).isEqualTo("x"));
        // full ones return to use
        var again = IntStream.range(0, 4)
                .mapToObj(i -> TestTunnel.through(pool, key))
                .toList();
        again.forEach(tunnel -> assertThat(tunnel.send("y").finish().answer()).isEqualTo("y"));
        assertThat(server.accepted).hasValue(2);
    }

    @Test
    void case53_givenGoAway_whenTheNextTunnelIsOpened_thenThereIsANewConnectionAndTheOldTunnelGoesOn() {
        var server = server();
        var pool = pool(streams(100));
        var key = TestTunnel.key(server.address());
        var old = TestTunnel.through(pool, key).send("a");
        await().until(() -> old.soFar().equals("a"));
        var first = server.channels.element();
        first.eventLoop()
                .execute(() -> first.pipeline().get(HboneServerHandler.class).drain());
        await().until(() -> pool.connections() == 0);
        assertThat(TestTunnel.through(pool, key).send("b").finish().answer()).isEqualTo("b");
        assertThat(server.accepted).hasValue(2);
        assertThat(old.send("c").finish().answer()).isEqualTo("ac");
        await().until(() -> !first.isOpen());
    }

    @Test
    void case54_givenLimit1_thenEachOpenTunnelHasItsConnection() {
        var server = server();
        var pool = pool(streams(1));
        var key = TestTunnel.key(server.address());
        var open = IntStream.range(0, 5)
                .mapToObj(i -> TestTunnel.through(pool, key))
                .toList();
        open.forEach(TestTunnel::tunnel);
        assertThat(server.accepted).hasValue(5);
        open.forEach(tunnel -> assertThat(tunnel.send("x").finish().answer()).isEqualTo("x"));
    }

    @Test
    void case55_given100InParallel_thenOneConnection_given300OverThreeKeys_thenThree() {
        var server = server();
        var pool = pool(streams(100));
        var one = IntStream.range(0, 100)
                .parallel()
                .mapToObj(i -> TestTunnel.through(pool, TestTunnel.key(server.address())))
                .toList();
        one.forEach(tunnel -> assertThat(tunnel.send("x").finish().answer()).isEqualTo("x"));
        assertThat(server.accepted).hasValue(1);
        var three = IntStream.range(0, 300)
                .parallel()
                .mapToObj(i -> TestTunnel.through(pool, TestTunnel.key(server.address(), "10.1.0." + i % 3)))
                .toList();
        three.forEach(tunnel -> assertThat(tunnel.send("x").finish().answer()).isEqualTo("x"));
        assertThat(server.accepted).hasValue(4);
    }

    @Test
    void case56_givenAnIdleConnection_whenItsTimeIsOver_thenItGoes_butALiveStreamKeepsIt() {
        var server = server();
        var pool = pool(HboneLimits.DEFAULT.with(
                times(Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofMillis(300))));
        var live = TestTunnel.through(pool, TestTunnel.key(server.address(), "10.0.0.1"))
                .send("a");
        var idle = TestTunnel.through(pool, TestTunnel.key(server.address(), "10.0.0.2"))
                .send("b");
        assertThat(idle.finish().answer()).isEqualTo("b");
        await().until(() -> server.server.connections() == 1);
        assertThat(live.send("c").finish().answer()).isEqualTo("ac");
        await().until(() -> server.server.connections() == 0);
        assertThat(pool.connections()).isZero();
    }

    @Test
    void case57_givenBufferedData_whenThePoolIsClosed_thenItIsReadBeforeTheError() {
        var server = server();
        var pool = pool(streams(100));
        var opening = new TestTunnel();
        var late = new java.util.concurrent.CompletableFuture<Tunnel>();
        pool.open(TestTunnel.key(server.address()), ConnectHeaders.to("10.0.0.2:80"), new TunnelOpening() {
            @Override
            public void opened(TunnelOpening.Opened opened) {
                opening.opened.complete(opened);
                opened.tunnel()
                        .write(io.netty.buffer.Unpooled.copiedBuffer("kept", java.nio.charset.StandardCharsets.UTF_8));
                opened.tunnel().flush();
                late.complete(opened.tunnel());
            }

            @Override
            public void failed(HboneFailure failure) {
                late.completeExceptionally(new AssertionError(failure.toString()));
            }
        });
        var tunnel = TestTunnel.within(late);
        await().until(() -> ((Stream) tunnel).hasEarlyData());
        pool.close();
        await().until(() -> server.server.connections() == 0);
        tunnel.loop().execute(() -> tunnel.listen(opening));
        assertThat(TestTunnel.within(opening.reset)).isEqualTo(Tunnel.Reset.BROKEN);
        assertThat(opening.soFar()).isEqualTo("kept");
    }

    @Test
    void givenNobodyListens_whenManyWait_thenAllHearOfIt() {
        var server = server();
        var address = server.address();
        server.stopListening();
        var pool = pool(streams(100));
        var all = IntStream.range(0, 50)
                .mapToObj(i -> TestTunnel.through(pool, TestTunnel.key(address)))
                .toList();
        all.forEach(tunnel -> assertThat(tunnel.failure()).isInstanceOf(HboneFailure.DialFailed.class));
        assertThat(all.getFirst().failure().worthTryingElsewhere()).isTrue();
    }

    @Test
    void givenADeadDestination_whenOthersAreOpened_thenNobodyWaitsForIt() {
        var server = server();
        var pool = pool(HboneLimits.DEFAULT.with(
                times(Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofMinutes(5))));
        // TEST-NET-1 answers nobody, or there is no route at all
        var dead = TestTunnel.through(
                pool, TestTunnel.key(IpPort.parse("192.0.2.1:15008").orElseThrow()));
        assertThat(TestTunnel.through(pool, TestTunnel.key(server.address()))
                        .send("x")
                        .finish()
                        .answer())
                .isEqualTo("x");
        assertThat(dead.failure()).isInstanceOfAny(HboneFailure.DialTimeout.class, HboneFailure.DialFailed.class);
    }

    @Test
    void givenAServerThatNeverShakesHands_thenHandshakeTimeout() throws Exception {
        try (var silent = new java.net.ServerSocket(0, 10, java.net.InetAddress.getLoopbackAddress())) {
            var pool = pool(HboneLimits.DEFAULT.with(times(
                    Duration.ofSeconds(5), Duration.ofMillis(200), Duration.ofSeconds(20), Duration.ofMinutes(5))));
            var address = IpPort.parse("127.0.0.1:" + silent.getLocalPort()).orElseThrow();
            var tunnel = TestTunnel.through(pool, TestTunnel.key(address));
            assertThat(tunnel.failure()).isInstanceOf(HboneFailure.HandshakeTimeout.class);
            assertThat(tunnel.failure().problem().code()).isEqualTo("hbone-handshake-timeout");
        }
    }

    @Test
    void givenAServerThatNeverAnswers_thenReplyTimeout_andTheConnectionIsStillGood() {
        var replies = new java.util.concurrent.ConcurrentLinkedQueue<Reply>();
        var server = server(HboneLimits.DEFAULT, (request, reply) -> {
            if (request.headers().authority().equals("slow:1")) {
                replies.add(reply);
            } else {
                echo.requested(request, reply);
            }
        });
        var pool = pool(HboneLimits.DEFAULT.with(
                times(Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofMillis(300), Duration.ofMinutes(5))));
        var slow = TestTunnel.through(pool, TestTunnel.key(server.address()), ConnectHeaders.to("slow:1"));
        assertThat(slow.failure()).isInstanceOf(HboneFailure.ReplyTimeout.class);
        assertThat(TestTunnel.through(pool, TestTunnel.key(server.address()))
                        .send("x")
                        .finish()
                        .answer())
                .isEqualTo("x");
        assertThat(server.accepted).hasValue(1);
        await().until(() -> !replies.element().isWanted());
    }

    @Test
    void givenARefusal_thenStatusAndTextAreKnown() {
        var server = server(HboneLimits.DEFAULT, (request, reply) -> reply.refuse(401, "denied by shop/deny-all"));
        var pool = pool(streams(100));
        var refused = TestTunnel.through(pool, TestTunnel.key(server.address()));
        assertThat(refused.failure())
                .isEqualTo(new HboneFailure.Refused(server.address(), 401, "denied by shop/deny-all"));
        assertThat(refused.failure().worthTryingElsewhere()).isFalse();
        // the connection goes on
        assertThat(TestTunnel.through(pool, TestTunnel.key(server.address())).failure())
                .isInstanceOf(HboneFailure.Refused.class);
        assertThat(server.accepted).hasValue(1);
    }

    @Test
    void givenAReset_whenEitherSideResets_thenTheOtherHearsWhy() {
        var server = server();
        var pool = pool(streams(100));
        var mine = TestTunnel.through(pool, TestTunnel.key(server.address())).send("a");
        await().until(() -> mine.soFar().equals("a"));
        mine.giveUp(Tunnel.Reset.CONNECTION_RESET);
        await().until(() -> echo.resets.contains(Tunnel.Reset.CONNECTION_RESET));
        var theirs = TestTunnel.through(pool, TestTunnel.key(server.address()));
        theirs.tunnel();
        await().until(() -> echo.tunnels.size() == 2);
        var last = echo.tunnels.stream().toList().getLast();
        last.loop().execute(() -> last.reset(Tunnel.Reset.CANCELLED));
        assertThat(TestTunnel.within(theirs.reset)).isEqualTo(Tunnel.Reset.CANCELLED);
    }

    @Test
    void givenMoreConnectionsThanPooled_thenTheLeastRecentlyUsedGoes() {
        var server = server();
        var limits = new HboneLimits(
                HboneLimits.Windows.DEFAULT, 100, 200, 16 * 1024, 64 * 1024, 2, HboneLimits.Times.DEFAULT);
        var loops = List.of((EventLoop) group.iterator().next());
        var pool = new HbonePool(loops, EpollSocketChannel::new, mesh, TestMesh.tls(), limits);
        things.add(pool);
        for (var source : List.of("10.0.0.1", "10.0.0.2", "10.0.0.3")) {
            assertThat(TestTunnel.through(pool, TestTunnel.key(server.address(), source))
                            .send("x")
                            .finish()
                            .answer())
                    .isEqualTo("x");
        }
        await().until(() -> server.server.connections() == 2);
        assertThat(pool.connections()).isEqualTo(2);
    }

    @Test
    void givenATunnelInsideATunnel_thenBytesComeBack() {
        var inner = server();
        // the gateway relays into the inner server by plain TCP
        var gateway = server(HboneLimits.DEFAULT, new TcpRelay(inner.address()));
        var pool = pool(streams(100));
        var tunnel = new TestTunnel();
        pool.openInner(
                TestTunnel.key(gateway.address()),
                ConnectHeaders.to("backend.shop:80"),
                new InnerTunnel(
                        TestMesh.CLIENT, java.util.Set.of(TestMesh.SERVER), ConnectHeaders.to("backend.shop:80")),
                tunnel);
        assertThat(tunnel.send("nested").finish().answer()).isEqualTo("nested");
        await().until(() -> inner.server.connections() == 0);
        assertThat(gateway.server.connections()).isEqualTo(1);
    }

    @Test
    void givenWhileDraining_thenNoNewTunnels_andOldOnesGoOn() {
        var server = server();
        var pool = pool(streams(100));
        var old = TestTunnel.through(pool, TestTunnel.key(server.address())).send("a");
        await().until(() -> old.soFar().equals("a"));
        pool.drain();
        assertThat(TestTunnel.through(pool, TestTunnel.key(server.address())).failure())
                .isInstanceOf(HboneFailure.Closed.class);
        assertThat(old.send("b").finish().answer()).isEqualTo("ab");
        await().until(() -> server.server.connections() == 0);
    }

    @Test
    void givenAPeerThatSaysNothing_whenAskedForASignOfLife_thenItIsDropped() {
        var server = server();
        var pool = pool(HboneLimits.DEFAULT.with(new HboneLimits.Times(
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(20),
                Duration.ofMinutes(5),
                Duration.ofMillis(200),
                Duration.ofMillis(300))));
        var tunnel = TestTunnel.through(pool, TestTunnel.key(server.address())).send("a");
        await().until(() -> tunnel.soFar().equals("a"));
        // while it answers, nothing happens
        await().during(Duration.ofMillis(800)).atMost(Duration.ofSeconds(3)).until(() -> !tunnel.reset.isDone());
        server.channels.forEach(channel -> silence(channel));
        assertThat(TestTunnel.within(tunnel.reset)).isEqualTo(Tunnel.Reset.BROKEN);
        await().until(() -> pool.connections() == 0);
    }

    private static void silence(Channel channel) {
        channel.config().setAutoRead(false);
    }
}
