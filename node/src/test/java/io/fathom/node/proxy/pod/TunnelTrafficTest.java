// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import static io.fathom.node.proxy.pod.PlainTrafficTest.exchange;
import static io.fathom.node.proxy.pod.PlainTrafficTest.isEnded;
import static io.fathom.node.proxy.pod.PlainTrafficTest.isTurnedAway;
import static io.fathom.node.proxy.pod.PlainTrafficTest.talk;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.Authorization.Action;
import io.fathom.model.policy.Authorization.Scope;
import io.fathom.node.proxy.OpenConnection;
import io.fathom.node.proxy.ProxyConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// From one pod's outbound proxy through HBONE to another's inbound proxy, all in this process.
class TunnelTrafficTest {
    /// Where connections within loopback come from.
    private static final String CLIENT = "127.0.0.1";

    private static final String SERVER = TestNode.address(2);

    private final TestNode node = new TestNode(ProxyConfig.DEFAULT.times(Duration.ofSeconds(2), Duration.ofSeconds(1)));
    private ServedPod client;
    private ServedPod server;

    @BeforeEach
    void start() {
        node.mesh.put(
                Drafts.pod("client", CLIENT).build(),
                Drafts.pod("server", SERVER).build());
        client = node.start("client", TestNode.address(1));
        server = node.start("server", SERVER);
    }

    @AfterEach
    void close() {
        node.close();
    }

    /// Cases 7 and 103.
    @Test
    void givenTwoPods_whenOneSends11BytesAndGets22_thenBothReportersAgreeAndNameBothEnds() throws Exception {
        var app = node.closing(TestApp.start(SERVER, socket -> {
            socket.getInputStream().readNBytes(11);
            socket.getOutputStream().write(new byte[22]);
            socket.close();
        }));
        assertThat(talk(node.connect(client, app.at(SERVER)), "hello world")).hasSize(22);
        await().until(() -> node.lines().size() == 2);
        assertThat(node.lines())
                .anySatisfy(line -> assertThat(line)
                        .contains(
                                "src.addr=127.0.0.1:",
                                "src.workload=\"client\" src.namespace=\"ns1\""
                                        + " src.identity=\"spiffe://cluster.local/ns/ns1/sa/client\" src.cluster=\"c1\"",
                                "dst.addr=" + SERVER + ":15008 dst.hbone_addr=" + app.at(SERVER),
                                "dst.workload=\"server\"",
                                "dst.identity=\"spiffe://cluster.local/ns/ns1/sa/server\"",
                                "direction=\"outbound\" bytes_sent=11 bytes_recv=22"))
                .anySatisfy(line -> assertThat(line)
                        .contains(
                                "src.workload=\"client\"",
                                "src.identity=\"spiffe://cluster.local/ns/ns1/sa/client\"",
                                "dst.addr=" + SERVER + ":15008 dst.hbone_addr=" + app.at(SERVER),
                                "direction=\"inbound\" bytes_sent=22 bytes_recv=11"));
        for (var reporter : List.of("source", "destination")) {
            var labels = "reporter=\"" + reporter + "\".*source_principal=\"spiffe.*destination_principal=\"spiffe"
                    + ".*response_flags=\"-\".*mutual_tls";
            assertThat(node.counted("istio_tcp_received_bytes_total", labels)).isEqualTo(11);
            assertThat(node.counted("istio_tcp_sent_bytes_total", labels)).isEqualTo(22);
            assertThat(node.counted("istio_tcp_connections_opened_total", labels))
                    .isEqualTo(1);
            assertThat(node.counted("istio_tcp_connections_closed_total", labels))
                    .isEqualTo(1);
        }
        assertThat(client.ledger().size() + server.ledger().size()).isZero();
        assertThat(node.counted("istio_tcp_sockets_open", "source")).isZero();
    }

    @Test
    void givenATunnel_whenTheApplicationIsReached_thenItSeesTheClientsAddressAndTheDumpShowsBothEnds()
            throws Exception {
        var app = node.closing(TestApp.echo(SERVER));
        var socket = node.connect(client, app.at(SERVER));
        assertThat(exchange(socket, "x")).isEqualTo("x");
        assertThat(app.clients)
                .singleElement()
                .satisfies(at -> assertThat(at.ip()).hasToString(CLIENT));
        assertThat(client.ledger().shown()).singleElement().satisfies(shown -> {
            assertThat(shown.originalDestination()).contains(app.at(SERVER).toString());
            assertThat(shown.actualDestination()).hasToString(SERVER + ":15008");
            assertThat(shown.protocol()).isEqualTo(OpenConnection.Protocol.HBONE);
            assertThat(shown.direction()).isEqualTo(OpenConnection.Direction.OUTBOUND);
        });
        assertThat(server.ledger().shown()).singleElement().satisfies(shown -> {
            assertThat(shown.originalDestination()).isEmpty();
            assertThat(shown.actualDestination()).isEqualTo(app.at(SERVER));
            assertThat(shown.direction()).isEqualTo(OpenConnection.Direction.INBOUND);
        });
    }

    /// Case 11 without the waypoint.
    @Test
    void givenAService_whenItIsCalled_thenBothSidesKnowItsName() throws Exception {
        var app = node.closing(TestApp.echo(SERVER));
        node.mesh.put(
                Drafts.service("web", "10.9.9.9", 80, app.port()),
                Drafts.pod("server", SERVER).behind("web", 80, app.port()).build());
        assertThat(talk(node.connect(client, Drafts.ipPort("10.9.9.9:80")), "x"))
                .isEqualTo("x");
        await().until(() -> node.lines().size() == 2);
        assertThat(node.lines()).allSatisfy(line -> assertThat(line).contains("dst.service=\"web.example\""));
        assertThat(node.counted("istio_tcp_connections_opened_total", "destination_service_name=\"web\""))
                .isEqualTo(2);
    }

    /// Case 46.
    @Test
    void givenADenyPolicy_whenTheClientConnects_thenBothSidesReportDenyAndNamePolicy() {
        node.mesh.put(Drafts.policy("no", Scope.NAMESPACE, Action.DENY, "client"));
        var app = node.closing(TestApp.echo(SERVER));
        assertThat(isTurnedAway(() -> node.connect(client, app.at(SERVER)))).isTrue();
        await().until(() -> node.lines().size() == 2);
        assertThat(node.lines())
                .anySatisfy(line -> assertThat(line)
                        .contains("direction=\"inbound\"", "error=\"explicitly denied by: ns1/no\" policy=\"ns1/no\""))
                .anySatisfy(line -> assertThat(line).contains("direction=\"outbound\"", "401", "ns1/no"));
        assertThat(node.counted("istio_tcp_connections_failed_total", "DENY")).isEqualTo(2);
        assertThat(app.clients).isEmpty();
    }

    /// Case 44.
    @Test
    void givenAnOpenTunnel_whenAPushDeniesIt_thenItIsCutWithinASecondAndOthersGoOn() throws Exception {
        var other = TestNode.address(3);
        node.mesh.put(Drafts.pod("other", other).build());
        var otherServer = node.start("other", other);
        var app = node.closing(TestApp.echo(SERVER));
        var otherApp = node.closing(TestApp.echo(other));
        var cut = node.connect(client, app.at(SERVER));
        assertThat(exchange(cut, "open")).isEqualTo("open");
        var kept = node.connect(client, otherApp.at(other));
        assertThat(exchange(kept, "open")).isEqualTo("open");
        node.mesh.put(Drafts.policy("no", Scope.WORKLOAD_SELECTOR, Action.DENY, "client"));
        assertThat(exchange(cut, "still")).isEqualTo("still");
        node.mesh.put(Drafts.pod("server", SERVER).policies("ns1/no").build());
        cut.setSoTimeout(1000);
        assertThat(isEnded(cut)).isTrue();
        assertThat(exchange(kept, "still")).isEqualTo("still");
        assertThat(otherServer.ledger().size()).isEqualTo(1);
        await().until(() -> node.counted("istio_tcp_connections_closed_total", "destination\".*DENY") == 1);
        assertThat(node.lines())
                .anySatisfy(line -> assertThat(line)
                        .contains("direction=\"inbound\"", "error=\"connection closed due to policy change\""));
    }

    @Test
    void givenOpenTunnels_whenACertificateIsRevoked_thenThoseOfItsBearerAreCut() throws Exception {
        var app = node.closing(TestApp.echo(SERVER));
        var socket = node.connect(client, app.at(SERVER));
        assertThat(exchange(socket, "open")).isEqualTo("open");
        assertThat(server.ledger().cutRevoked(chain -> false)).isZero();
        assertThat(server.ledger().cutRevoked(chain -> true)).isEqualTo(1);
        assertThat(isEnded(socket)).isTrue();
        await().until(() -> node.counted("istio_tcp_connections_closed_total", "CERT_REVOKED") == 1);
    }

    @Test
    void givenAHalfClosedTunnel_whenTheServerGoesOnSending_thenTheClientGetsAll() throws Exception {
        var app = node.closing(TestApp.start(SERVER, socket -> {
            var request = socket.getInputStream().readAllBytes();
            for (int i = 0; i < 1000; i++) {
                socket.getOutputStream().write(request);
            }
            socket.close();
        }));
        assertThat(talk(node.connect(client, app.at(SERVER)), "0123456789")).hasSize(10_000);
        await().until(() -> client.ledger().size() + server.ledger().size() == 0);
    }

    /// Where Netty by itself loses the connection: see [io.fathom.node.socket.SteadyEpoll].
    @Test
    void givenAClientThatHasEnded_whenTheAnswerIsMoreThanItsSocketTakes_thenItGetsAllOnceItReads() throws Exception {
        var size = 32 << 20;
        var app = node.closing(TestApp.start(SERVER, socket -> {
            socket.getInputStream().readAllBytes();
            socket.getOutputStream().write(new byte[size]);
            socket.close();
        }));
        var socket = node.connect(client, app.at(SERVER));
        socket.getOutputStream().write('x');
        socket.shutdownOutput();
        await().until(() -> node.counted("istio_tcp_sent_bytes_total", "reporter=\"source\"") > 1 << 20);
        assertThat(socket.getInputStream().readAllBytes()).hasSize(size);
        await().until(() -> client.ledger().size() + server.ledger().size() == 0);
    }

    @Test
    void givenAServerThatEndsFirst_whenTheClientGoesOnSending_thenTheServerGetsAll() throws Exception {
        var received = new CompletableFuture<String>();
        var app = node.closing(TestApp.start(SERVER, socket -> {
            socket.getOutputStream().write('x');
            socket.shutdownOutput();
            received.complete(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        }));
        var socket = node.connect(client, app.at(SERVER));
        assertThat(socket.getInputStream().readAllBytes()).containsExactly('x');
        socket.getOutputStream().write("after".getBytes(StandardCharsets.UTF_8));
        socket.shutdownOutput();
        assertThat(received).succeedsWithin(TestNode.within(5)).isEqualTo("after");
    }

    /// Weakness m.
    @Test
    void givenAnOpenTunnel_whenTheClientResets_thenTheApplicationSeesAReset() throws Exception {
        var seen = new CompletableFuture<String>();
        var app = node.closing(TestApp.start(SERVER, socket -> {
            try {
                socket.getOutputStream().write('x');
                seen.complete("end " + socket.getInputStream().read());
            } catch (IOException e) {
                seen.complete(String.valueOf(e.getMessage()));
            }
        }));
        var socket = node.connect(client, app.at(SERVER));
        assertThat(socket.getInputStream().read()).isEqualTo('x');
        socket.setSoLinger(true, 0);
        socket.close();
        assertThat(seen).succeedsWithin(TestNode.within(5)).asString().contains("reset");
        await().until(() -> client.ledger().size() + server.ledger().size() == 0);
    }

    @Test
    void givenAnOpenTunnel_whenTheApplicationResets_thenTheClientSeesAReset() throws Exception {
        var app = node.closing(TestApp.start(SERVER, socket -> {
            socket.getInputStream().read();
            socket.setSoLinger(true, 0);
            socket.close();
        }));
        var socket = node.connect(client, app.at(SERVER));
        socket.getOutputStream().write('x');
        var seen = CompletableFuture.supplyAsync(() -> {
            try {
                return "end " + socket.getInputStream().read();
            } catch (IOException e) {
                return String.valueOf(e.getMessage());
            }
        });
        assertThat(seen).succeedsWithin(TestNode.within(5)).asString().contains("reset");
    }

    @Test
    void givenNoApplication_whenAClientConnects_thenThatIsA503AndConnectOnBothSides() {
        assertThat(isTurnedAway(() -> node.connect(client, Drafts.ipPort(SERVER + ":1"))))
                .isTrue();
        await().until(() -> node.lines().size() == 2);
        assertThat(node.counted("istio_tcp_connections_failed_total", "CONNECT"))
                .isEqualTo(2);
        assertThat(node.lines()).anySatisfy(line -> assertThat(line).contains("outbound", "503"));
    }

    /// Weakness i, with tunnels.
    @Test
    void givenAServiceWithADeadNode_whenAClientConnects_thenAnotherEndpointServes() throws Exception {
        var app = node.closing(TestApp.echo(SERVER));
        node.mesh.put(
                Drafts.service("web", "10.9.9.9", 80, app.port()),
                Drafts.pod("server", SERVER).behind("web", 80, app.port()).build(),
                Drafts.pod("dead", TestNode.address(4))
                        .behind("web", 80, app.port())
                        .build());
        for (int i = 0; i < 10; i++) {
            assertThat(talk(node.connect(client, Drafts.ipPort("10.9.9.9:80")), "x" + i))
                    .isEqualTo("x" + i);
        }
    }

    @Test
    void givenAnAddressThatChangedHands_whenAClientConnects_thenItIsATlsFailure() {
        node.mesh.put(Drafts.pod("server", SERVER).account("moved").build());
        var app = node.closing(TestApp.echo(SERVER));
        // the proxy of the pod still has the old account, so it is not known there: what answers is nobody
        assertThat(isTurnedAway(() -> node.connect(client, app.at(SERVER)))).isTrue();
        await().until(() -> node.counted("istio_tcp_connections_failed_total", "source\"") == 1);
        assertThat(app.clients).isEmpty();
    }

    /// Case 9, when the control plane tells only of what it is asked for.
    @Test
    void givenAWorkloadAndItsWaypointThatCameOnDemand_whenItIsCalled_thenTheWaypointIsUsed() throws Exception {
        var target = "127.88.8.8";
        var waypoint = TestNode.address(5);
        var app = node.closing(TestApp.echo(waypoint));
        var known = Drafts.pod("waypoint", waypoint)
                .tunnel(Workload.ApplicationTunnel.Protocol.NONE, app.port())
                .build();
        node.mesh.onDemand(
                "n1/" + target,
                Drafts.pod("target", target).waypoint(waypoint + ":15008").build());
        node.mesh.onDemand("n1/" + waypoint, known);
        node.start("waypoint", waypoint);
        assertThat(talk(node.connect(client, Drafts.ipPort(target + ":80")), "through"))
                .isEqualTo("through");
        await().until(() -> node.lines().size() == 2);
        assertThat(node.lines())
                .anySatisfy(line -> assertThat(line)
                        .contains("outbound", "dst.addr=" + waypoint + ":15008 dst.hbone_addr=" + target + ":80"));
    }

    /// Case 102.
    @Test
    void givenAnApplicationThatTakesProxyHeaders_whenItIsReached_thenTheHeaderComesFirstAndDialsLoopback()
            throws Exception {
        var first = new CompletableFuture<byte[]>();
        var app = node.closing(TestApp.start("127.0.0.1", socket -> {
            var header =
                    socket.getInputStream().readNBytes(28 + 3 + "spiffe://cluster.local/ns/ns1/sa/client".length());
            first.complete(header);
            socket.getInputStream().transferTo(socket.getOutputStream());
            socket.close();
        }));
        node.mesh.put(Drafts.pod("server", SERVER)
                .tunnel(Workload.ApplicationTunnel.Protocol.PROXY, app.port())
                .build());
        var target = Drafts.ipPort(SERVER + ":8080");
        assertThat(talk(node.connect(client, target), "payload")).isEqualTo("payload");
        var header = first.get();
        assertThat(header).startsWith(0x0d, 0x0a, 0x0d, 0x0a, 0, 0x0d, 0x0a);
        assertThat(new String(header, StandardCharsets.US_ASCII)).endsWith("spiffe://cluster.local/ns/ns1/sa/client");
        assertThat(((header[26] & 0xff) << 8) | (header[27] & 0xff)).isEqualTo(8080);
        await().until(() -> node.lines().size() == 2);
        assertThat(node.lines())
                .allSatisfy(line -> assertThat(line).contains(" bytes_").doesNotContain("error"));
    }

    /// Cases 98 and 99 for HBONE.
    @Test
    void givenAnOpenTunnel_whenTheServersPodDrains_thenItGoesOnAndNewOnesAreRefused() throws Exception {
        var app = node.closing(TestApp.echo(SERVER));
        var socket = node.connect(client, app.at(SERVER));
        assertThat(exchange(socket, "before")).isEqualTo("before");
        var drained = server.drain();
        assertThat(exchange(socket, "during")).isEqualTo("during");
        await().until(() -> isTurnedAway(() -> node.connect(client, app.at(SERVER))));
        assertThat(drained).isNotDone();
        assertThat(talk(socket, "after")).isEqualTo("after");
        assertThat(drained).succeedsWithin(TestNode.within(5));
    }

    @Test
    void givenAnApplicationThatReadsNothing_whenAClientSends_thenItIsStoppedBeforeMuchIsBuffered() throws Exception {
        var app = node.closing(TestApp.start(SERVER, socket -> {}));
        var socket = node.connect(client, app.at(SERVER));
        var sent = new AtomicLong();
        var sender = Thread.ofVirtual().start(() -> {
            var block = new byte[64 << 10];
            try {
                while (sent.get() < 256L << 20) {
                    socket.getOutputStream().write(block);
                    sent.addAndGet(block.length);
                }
            } catch (IOException e) {
                // the test is over
            }
        });
        var before = new AtomicLong(-1);
        await().pollInterval(Duration.ofMillis(500)).until(() -> before.getAndSet(sent.get()) == sent.get());
        assertThat(sent.get()).isBetween(1L << 16, 48L << 20); // one stream's window and the sockets between
        assertThat(sender.isAlive()).isTrue();
    }

    @Test
    void givenMuchDataAndASlowReader_whenItIsRelayed_thenAllArrivesInOrder() throws Exception {
        var size = 64 << 20;
        var app = node.closing(TestApp.start(SERVER, socket -> {
            var in = socket.getInputStream();
            var buffer = new byte[200_000];
            var position = 0L;
            var wrong = 0L;
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                for (int i = 0; i < n; i++, position++) {
                    wrong += buffer[i] == (byte) ((position * 31) >> 8) ? 0 : 1;
                }
            }
            socket.getOutputStream().write((position + " bytes, " + wrong + " wrong").getBytes(StandardCharsets.UTF_8));
            socket.close();
        }));
        var socket = node.connect(client, app.at(SERVER));
        socket.setSoTimeout(60_000);
        var block = new byte[1 << 20];
        for (int sent = 0; sent < size; sent += block.length) {
            for (int i = 0; i < block.length; i++) {
                block[i] = (byte) (((sent + (long) i) * 31) >> 8);
            }
            socket.getOutputStream().write(block);
        }
        assertThat(talk(socket, "")).isEqualTo(size + " bytes, 0 wrong");
    }
}
