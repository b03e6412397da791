// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import static io.fathom.wire.hbone.RawPeer.CONNECT;
import static io.fathom.wire.hbone.RawPeer.CONTINUATION;
import static io.fathom.wire.hbone.RawPeer.DATA;
import static io.fathom.wire.hbone.RawPeer.GOAWAY;
import static io.fathom.wire.hbone.RawPeer.HEADERS;
import static io.fathom.wire.hbone.RawPeer.PING;
import static io.fathom.wire.hbone.RawPeer.RST_STREAM;
import static io.fathom.wire.hbone.RawPeer.SETTINGS;
import static io.fathom.wire.hbone.RawPeer.WINDOW_UPDATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The server against a client that sends single frames, well-behaved or not.
class Http2FramesTest {
    private static final int END_STREAM = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;
    private static final int ENHANCE_YOUR_CALM = 0xb;
    private static final int PROTOCOL_ERROR = 0x1;
    private static final int FLOW_CONTROL_ERROR = 0x3;
    private static final int REFUSED_STREAM = 0x7;
    private static final int CONNECT_ERROR = 0xa;

    private final Echo echo = new Echo();
    private final TestServer server = new TestServer(HboneLimits.DEFAULT, echo);

    @AfterEach
    void stop() {
        server.close();
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void givenBytesThatComeOneByOne_thenFramesAreUnderstood() throws IOException {
        try (var peer = new RawPeer(server.address())) {
            var all = new ByteArrayOutputStream();
            all.writeBytes(RawPeer.frame(HEADERS, END_HEADERS, 1, CONNECT));
            all.writeBytes(RawPeer.frame(0x42, 0, 0, text("unknown")));
            all.writeBytes(RawPeer.frame(DATA, 0, 1, text("hello ")));
            all.writeBytes(RawPeer.frame(DATA, PADDED, 1, text("\u0003world...")));
            all.writeBytes(RawPeer.frame(DATA, END_STREAM, 1));
            for (var one : all.toByteArray()) {
                peer.raw(new byte[] {one});
            }
            var echoed = new StringBuilder();
            RawPeer.Frame frame;
            do {
                frame = peer.read(DATA);
                echoed.append(new String(frame.payload(), StandardCharsets.UTF_8));
            } while ((frame.flags() & END_STREAM) == 0);
            assertThat(echoed).hasToString("hello world");
        }
    }

    @Test
    void givenAPing_thenItIsAnswered() throws IOException {
        try (var peer = new RawPeer(server.address())) {
            peer.send(PING, 0, 0, text("12345678"));
            assertThat(peer.read(PING).payload()).isEqualTo(text("12345678"));
        }
    }

    @Test
    void givenMoreStreamsThanAllowed_thenTheNextIsRefused_andTheOthersGoOn() throws IOException {
        try (var peer = new RawPeer(server.address())) {
            for (int i = 0; i <= 200; i++) {
                peer.send(HEADERS, END_HEADERS, 1 + 2 * i, CONNECT);
            }
            var reset = peer.read(RST_STREAM);
            assertThat(reset.stream()).isEqualTo(401);
            assertThat(reset.code()).isEqualTo(REFUSED_STREAM);
            peer.send(DATA, 0, 399, text("x"));
            assertThat(peer.read(DATA).stream()).isEqualTo(399);
        }
    }

    @Test
    void givenMoreDataThanTheWindow_thenTheStreamIsReset() throws IOException {
        var tunnels = new ConcurrentLinkedQueue<Tunnel>();
        var limits = HboneLimits.DEFAULT.with(new HboneLimits.Windows(65_535, 1 << 20, 1 << 20, 1000));
        try (var strict = new TestServer(limits, (request, reply) -> tunnels.add(reply.accept(Optional.empty())));
                var peer = new RawPeer(strict.address())) {
            peer.send(HEADERS, END_HEADERS, 1, CONNECT);
            peer.send(DATA, 0, 1, new byte[65_000]);
            peer.send(DATA, 0, 1, new byte[65_000]);
            assertThat(peer.read(RST_STREAM).code()).isEqualTo(FLOW_CONTROL_ERROR);
            tunnels.forEach(tunnel -> tunnel.loop().execute(() -> tunnel.reset(Tunnel.Reset.CANCELLED)));
        }
    }

    @Test
    void givenDataNobodyReads_thenNoWindowIsGiven_untilItIsConsumed() throws IOException {
        Queue<Tunnel> tunnels = new ConcurrentLinkedQueue<>();
        var limits = HboneLimits.DEFAULT.with(new HboneLimits.Windows(65_535, 65_535, 1 << 20, 1000));
        try (var strict = new TestServer(limits, (request, reply) -> tunnels.add(reply.accept(Optional.empty())));
                var peer = new RawPeer(strict.address())) {
            peer.send(HEADERS, END_HEADERS, 1, CONNECT);
            peer.send(DATA, 0, 1, new byte[60_000]);
            peer.send(PING, 0, 0, text("12345678"));
            assertThat(peer.read(frame -> frame.type() == PING || frame.type() == WINDOW_UPDATE)
                            .type())
                    .isEqualTo(PING);
            var tunnel = tunnels.element();
            tunnel.loop().execute(() -> {
                tunnel.listen(new Discarding());
                tunnel.consumed(40_000);
            });
            var update = peer.read(WINDOW_UPDATE);
            assertThat(update.code()).isEqualTo(40_000);
        }
    }

    @Test
    void givenAPeersReset_thenItsReasonIsCarried() throws IOException {
        try (var peer = new RawPeer(server.address())) {
            peer.send(HEADERS, END_HEADERS, 1, CONNECT);
            await().until(() -> echo.tunnels.size() == 1);
            peer.send(RST_STREAM, 0, 1, new byte[] {0, 0, 0, CONNECT_ERROR});
            await().until(() -> echo.resets.contains(Tunnel.Reset.CONNECTION_RESET));
        }
    }

    @Test
    void givenAMethodOtherThanConnect_thenTheAcceptorRefusesIt() throws IOException {
        try (var peer = new RawPeer(server.address())) {
            var get = RawPeer.literal(new String[][] {{":method", "GET"}, {":scheme", "http"}, {":path", "/"}});
            peer.send(HEADERS, END_HEADERS | END_STREAM, 1, get);
            var body = peer.read(DATA);
            assertThat(new String(body.payload(), StandardCharsets.UTF_8)).isEqualTo("only CONNECT");
            assertThat(body.flags()).isEqualTo(END_STREAM);
        }
    }

    @Test
    void givenAConnectWithoutAuthority_thenTheStreamIsResetAndNobodyIsAsked() throws IOException {
        try (var peer = new RawPeer(server.address())) {
            peer.send(HEADERS, END_HEADERS, 1, RawPeer.literal(new String[][] {{":method", "CONNECT"}}));
            assertThat(peer.read(RST_STREAM).code()).isEqualTo(PROTOCOL_ERROR);
            assertThat(echo.requests).isEmpty();
        }
    }

    @Test
    void givenAnAcceptorWithABug_thenOnlyItsStreamSuffers() throws IOException {
        TunnelAcceptor buggy = (request, reply) -> {
            if (request.headers().authority().equals("a:1")) {
                throw new IllegalStateException("a bug, for this test");
            }
            echo.requested(request, reply);
        };
        try (var faulty = new TestServer(HboneLimits.DEFAULT, buggy);
                var peer = new RawPeer(faulty.address())) {
            peer.send(HEADERS, END_HEADERS, 1, CONNECT);
            assertThat(peer.read(RST_STREAM).code()).isEqualTo(2);
            var other = RawPeer.literal(new String[][] {{":method", "CONNECT"}, {":authority", "b:1"}});
            peer.send(HEADERS, END_HEADERS, 3, other);
            peer.send(DATA, 0, 3, text("x"));
            assertThat(peer.read(DATA).payload()).isEqualTo(text("x"));
        }
    }

    @Test
    void givenSomethingElseThanHttp2_thenTheConnectionIsClosed() throws IOException {
        try (var socket = new java.net.Socket(
                java.net.InetAddress.getLoopbackAddress(), server.address().port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(text("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
            assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
        }
    }

    @Test
    void givenAFloodOfPings_thenEnough() throws IOException {
        try (var peer = new RawPeer(server.address())) {
            assertThat(peer.codeOfGoAwayAfterFlood(RawPeer.frame(PING, 0, 0, new byte[8]), 1_000_000))
                    .isIn(ENHANCE_YOUR_CALM, -1);
        }
    }

    @Test
    void givenAFloodOfSettings_thenEnough() throws IOException {
        try (var peer = new RawPeer(server.address())) {
            assertThat(peer.codeOfGoAwayAfterFlood(RawPeer.frame(SETTINGS, 0, 0), 1_000_000))
                    .isIn(ENHANCE_YOUR_CALM, -1);
        }
    }

    @Test
    void givenAFloodOfEmptyData_thenEnough() throws IOException {
        try (var peer = new RawPeer(server.address())) {
            peer.send(HEADERS, END_HEADERS, 1, CONNECT);
            assertThat(peer.codeOfGoAwayAfterFlood(RawPeer.frame(DATA, 0, 1), 1_000_000))
                    .isIn(ENHANCE_YOUR_CALM, -1);
        }
    }

    @Test
    void givenAHeaderBlockWithoutEnd_thenEnough() throws IOException {
        try (var peer = new RawPeer(server.address())) {
            peer.send(HEADERS, 0, 1, CONNECT);
            assertThat(peer.codeOfGoAwayAfterFlood(RawPeer.frame(CONTINUATION, 0, 1), 1_000_000))
                    .isIn(ENHANCE_YOUR_CALM, PROTOCOL_ERROR, -1);
        }
    }

    @Test
    void givenRequestsThatAreTakenBackAtOnce_thenEnough() throws IOException {
        try (var pending = new TestServer(HboneLimits.DEFAULT, (request, reply) -> {});
                var peer = new RawPeer(pending.address())) {
            var writer = Thread.ofVirtual().start(() -> {
                try {
                    for (int id = 1; id < 1_000_000; id += 2) {
                        var both = new ByteArrayOutputStream();
                        both.writeBytes(RawPeer.frame(HEADERS, END_HEADERS, id, CONNECT));
                        both.writeBytes(RawPeer.frame(RST_STREAM, 0, id, new byte[] {0, 0, 0, 8}));
                        peer.raw(both.toByteArray());
                    }
                } catch (IOException e) {
                    // closed by the server, as hoped for
                }
            });
            try {
                assertThat(peer.read(GOAWAY).code()).isEqualTo(ENHANCE_YOUR_CALM);
            } catch (java.io.EOFException | java.net.SocketException e) {
                assertThat(server.channels).isEmpty();
            } finally {
                writer.interrupt();
            }
        }
    }

    @Test
    void givenATunnelWithMuchTrafficThatIsReset_thenThatIsNoFlood() throws IOException {
        try (var peer = new RawPeer(server.address())) {
            for (int id = 1; id < 6_000; id += 2) {
                peer.send(HEADERS, END_HEADERS, id, CONNECT);
                var stream = id;
                peer.read(frame -> frame.type() == HEADERS && frame.stream() == stream);
                peer.send(RST_STREAM, 0, id, new byte[] {0, 0, 0, CONNECT_ERROR});
            }
            peer.send(PING, 0, 0, text("12345678"));
            assertThat(peer.read(PING).payload()).isEqualTo(text("12345678"));
        }
    }

    @Test
    void givenAQuietClient_whenItDoesNotAnswerThePing_thenGoAwayAndClose() throws IOException {
        var limits = HboneLimits.DEFAULT.with(new HboneLimits.Times(
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(20),
                Duration.ofMinutes(5),
                Duration.ofMillis(200),
                Duration.ofMillis(200)));
        try (var impatient = new TestServer(limits, echo);
                var peer = new RawPeer(impatient.address())) {
            assertThat(peer.read(PING).flags()).isZero();
            assertThat(peer.read(GOAWAY).code()).isZero();
            assertThatThrownBy(peer::read).isInstanceOf(IOException.class);
        }
    }

    @Test
    void givenADrain_thenTheClientIsToldTwice_andTheConnectionEndsWithTheLastStream() throws IOException {
        try (var peer = new RawPeer(server.address())) {
            peer.send(HEADERS, END_HEADERS, 1, CONNECT);
            await().until(() -> echo.tunnels.size() == 1);
            var channel = server.channels.element();
            channel.eventLoop()
                    .execute(() ->
                            channel.pipeline().get(HboneServerHandler.class).drain());
            var first = peer.read(GOAWAY);
            assertThat(first.payload()[0]).isEqualTo((byte) 0x7f);
            var ping = peer.read(PING);
            peer.send(PING, 1, 0, ping.payload());
            assertThat(peer.read(GOAWAY).payload()[3]).isEqualTo((byte) 1);
            peer.send(DATA, END_STREAM, 1, text("last"));
            assertThat(peer.read(DATA).payload()).isEqualTo(text("last"));
            peer.read(GOAWAY);
            assertThatThrownBy(() -> peer.read(DATA)).isInstanceOf(IOException.class);
        }
    }

    /// Takes everything and says nothing.
    private static final class Discarding implements TunnelListener {
        @Override
        public void received(ByteBuf data) {
            data.release();
        }

        @Override
        public void readComplete() {}

        @Override
        public void writable() {}

        @Override
        public void finished() {}

        @Override
        public void reset(Tunnel.Reset reason) {}
    }
}
