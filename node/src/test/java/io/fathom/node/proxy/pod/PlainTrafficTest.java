// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.policy.Authorization;
import io.fathom.node.proxy.ProxyConfig;
import io.fathom.wire.net.SocketAddresses;
import io.fathom.wire.zds.PodInfo;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PlainTrafficTest {
    private static final String CLIENT = TestNode.address(1);
    private static final String SERVER = TestNode.address(2);

    private final TestNode node = new TestNode(ProxyConfig.DEFAULT.times(Duration.ofSeconds(2), Duration.ofSeconds(1)));

    @AfterEach
    void close() {
        node.close();
    }

    static String talk(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.shutdownOutput();
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    static String exchange(Socket socket, String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        socket.getOutputStream().write(bytes);
        return new String(socket.getInputStream().readNBytes(bytes.length), StandardCharsets.UTF_8);
    }

    static boolean isEnded(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    /// Also when the reset comes before the client's own call has returned.
    static boolean isTurnedAway(Supplier<Socket> connecting) {
        try {
            return isEnded(connecting.get());
        } catch (UncheckedIOException e) {
            return true;
        }
    }

    /// Case 1.
    @Test
    void givenAnUnknownDestination_whenAPodConnects_thenBytesPassUnchanged() throws Exception {
        node.mesh.put(Drafts.pod("client", CLIENT).build());
        var app = node.closing(TestApp.echo(SERVER));
        var pod = node.start("client", CLIENT);
        assertThat(talk(node.connect(pod, app.at(SERVER)), "hello")).isEqualTo("hello");
        await().untilAsserted(() -> assertThat(node.lines())
                .singleElement()
                .asString()
                .contains(
                        "\tinfo\taccess\tconnection complete\t",
                        "src.workload=\"client\"",
                        "dst.addr=" + app.at(SERVER),
                        "direction=\"outbound\" bytes_sent=5 bytes_recv=5")
                .doesNotContain("identity", "hbone_addr", "error"));
        assertThat(node.counted("istio_tcp_connections_closed_total", "reporter=\"source\".*security_policy=\"unknown"))
                .isEqualTo(1);
        assertThat(node.counted("istio_tcp_sockets_open", "source")).isZero();
        assertThat(pod.ledger().size()).isZero();
    }

    @Test
    void givenNobodyListens_whenAPodConnects_thenItIsResetAndReportedAsConnect() {
        node.mesh.put(Drafts.pod("client", CLIENT).build());
        var pod = node.start("client", CLIENT);
        assertThatThrownBy(() -> node.connect(pod, Drafts.ipPort(SERVER + ":1"))
                        .getInputStream()
                        .read())
                .hasMessageContaining("reset");
        await().until(() -> node.counted("istio_tcp_connections_failed_total", "CONNECT") == 1);
        assertThat(node.lines()).singleElement().asString().contains("\terror\t", "error=\"connection to " + SERVER);
    }

    /// Weakness i.
    @Test
    void givenAServiceWithADeadEndpoint_whenAPodConnects_thenAnotherEndpointServes() throws Exception {
        var app = node.closing(TestApp.echo(SERVER));
        var dead = TestNode.address(3);
        node.mesh.put(
                Drafts.pod("client", CLIENT).build(),
                Drafts.service("web", "10.9.9.9", 80, app.port()),
                Drafts.pod("live", SERVER).plain().behind("web", 80, app.port()).build(),
                Drafts.pod("dead", dead).plain().behind("web", 80, app.port()).build());
        var pod = node.start("client", CLIENT);
        for (int i = 0; i < 20; i++) {
            assertThat(talk(node.connect(pod, Drafts.ipPort("10.9.9.9:80")), "x" + i))
                    .isEqualTo("x" + i);
        }
        await().until(() -> node.lines().size() == 20);
        assertThat(node.lines()).allMatch(line -> line.contains("dst.workload=\"live\"") && !line.contains("error"));
    }

    /// Case 12.
    @Test
    void givenAServiceWithoutEndpoints_whenAPodConnects_thenItIsTurnedAwayAndTouchesNoMetric() {
        node.mesh.put(Drafts.pod("client", CLIENT).build(), Drafts.service("web", "10.9.9.9", 80, 8080));
        var pod = node.start("client", CLIENT);
        assertThat(isTurnedAway(() -> node.connect(pod, Drafts.ipPort("10.9.9.9:80"))))
                .isTrue();
        await().untilAsserted(() -> assertThat(node.lines())
                .singleElement()
                .asString()
                .contains(
                        "\twarn\taccess\tconnection failed\t",
                        "dst.addr=10.9.9.9:80",
                        "error=\"no healthy upstream\""));
        assertThat(node.counted("istio_tcp_connections_opened_total", "")).isZero();
    }

    /// Case 101.
    @Test
    void givenAPod_whenItCallsAPortOfItsOwnProxy_thenNothingLoops() {
        node.mesh.put(Drafts.pod("client", CLIENT).plain().build());
        var pod = ServedPod.start(
                new PodInfo("u", "client", "ns1", "client"),
                node.sockets,
                new PodPorts(
                        Drafts.ip(CLIENT),
                        OptionalInt.of(15001),
                        OptionalInt.of(15006),
                        OptionalInt.of(15008),
                        OptionalInt.empty()),
                List.of(),
                node.parts);
        node.closing(pod);
        for (var target : List.of(CLIENT + ":15001", "127.0.0.1:15001", "127.0.0.1:15006", "127.0.0.1:15008")) {
            assertThat(isTurnedAway(() -> node.connect(pod, Drafts.ipPort(target))))
                    .as(target)
                    .isTrue();
        }
        assertThat(isTurnedAway(() -> node.connectInbound(pod, Drafts.ipPort(CLIENT + ":15006"))))
                .isTrue();
        assertThat(isTurnedAway(() -> node.connectInbound(pod, Drafts.ipPort(CLIENT + ":15001"))))
                .isTrue();
        await().until(() -> node.lines().size() == 6);
        assertThat(node.lines()).allMatch(line -> line.contains("connection failed"));
    }

    /// Case 35.
    @Test
    void givenAPodThatIsNotKnownYet_whenItConnects_thenItWaitsUntilItIs() throws Exception {
        var app = node.closing(TestApp.echo(SERVER));
        var pod = node.start("client", CLIENT);
        var socket = node.connect(pod, app.at(SERVER));
        var answer = CompletableFuture.supplyAsync(() -> {
            try {
                return talk(socket, "late");
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        node.mesh.put(Drafts.pod("other", TestNode.address(9)).build());
        assertThat(answer).isNotDone();
        node.mesh.put(Drafts.pod("client", CLIENT).build());
        assertThat(answer).succeedsWithin(TestNode.within(5)).isEqualTo("late");
    }

    @Test
    void givenAPodThatNobodyKnows_whenItConnects_thenItIsTurnedAwayAfterAWhile() {
        var pod = node.start("client", CLIENT);
        assertThat(isTurnedAway(() -> node.connect(pod, Drafts.ipPort(SERVER + ":80"))))
                .isTrue();
        await().untilAsserted(() ->
                assertThat(node.lines()).singleElement().asString().contains("ns1/client is not known"));
    }

    @Test
    void givenPlainTraffic_whenItComesIn_thenTheApplicationSeesTheClientsAddress() throws Exception {
        node.mesh.put(Drafts.pod("server", SERVER).build());
        var app = node.closing(TestApp.echo(SERVER));
        var pod = node.start("server", SERVER);
        var socket = node.connectInbound(pod, app.at(SERVER));
        assertThat(talk(socket, "in")).isEqualTo("in");
        assertThat(app.clients).singleElement().satisfies(client -> {
            assertThat(client.ip()).hasToString(socket.getLocalAddress().getHostAddress());
            assertThat(client.port()).isNotEqualTo(socket.getLocalPort());
        });
        await().untilAsserted(() -> assertThat(node.lines())
                .singleElement()
                .asString()
                .contains("dst.workload=\"server\"", "direction=\"inbound\" bytes_sent=2 bytes_recv=2"));
    }

    @Test
    void givenAPolicyThatAllowsOnlyIdentities_whenPlainTrafficComesIn_thenItIsDenied() {
        node.mesh.put(Drafts.pod("server", SERVER).build());
        node.mesh.put(Drafts.policy("only", Authorization.Scope.NAMESPACE, Authorization.Action.ALLOW, "client"));
        var app = node.closing(TestApp.echo(SERVER));
        var pod = node.start("server", SERVER);
        assertThat(isTurnedAway(() -> node.connectInbound(pod, app.at(SERVER)))).isTrue();
        await().until(() -> node.counted("istio_tcp_connections_closed_total", "destination\".*DENY") == 1);
        assertThat(app.clients).isEmpty();
        assertThat(node.counted("istio_tcp_sockets_open", "destination")).isZero();
    }

    /// Weakness m.
    /// A reset could overtake the end of the handshake.
    @Test
    void givenADeniedPlainClient_thenItsConnectSucceedsAndThenItSeesTheEnd() throws Exception {
        node.mesh.put(Drafts.pod("server", SERVER).build());
        node.mesh.put(Drafts.allowNothing("nothing"));
        var app = node.closing(TestApp.echo(SERVER));
        var pod = node.start("server", SERVER);
        for (var i = 0; i < 50; i++) {
            try (var socket = node.connectInbound(pod, app.at(SERVER))) {
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
        }
        await().untilAsserted(() -> assertThat(node.lines())
                .hasSize(50)
                .allSatisfy(line -> assertThat(line).contains("allow policies exist, but none allowed: ns1/nothing")));
    }

    @Test
    void givenAnOpenConnection_whenOneSideResets_thenTheOtherSeesAReset() throws Exception {
        node.mesh.put(Drafts.pod("client", CLIENT).build());
        var seen = new CompletableFuture<String>();
        var app = node.closing(TestApp.start(SERVER, socket -> {
            try {
                socket.getOutputStream().write('x');
                seen.complete("end " + socket.getInputStream().read());
            } catch (IOException e) {
                seen.complete(String.valueOf(e.getMessage()));
            }
        }));
        var pod = node.start("client", CLIENT);
        var socket = node.connect(pod, app.at(SERVER));
        assertThat(socket.getInputStream().read()).isEqualTo('x');
        socket.setSoLinger(true, 0);
        socket.close();
        assertThat(seen).succeedsWithin(TestNode.within(5)).asString().contains("reset");
        await().until(() -> pod.ledger().size() == 0);
    }

    @Test
    void givenAHalfClosedConnection_whenTheServerGoesOnSending_thenTheClientGetsAll() throws Exception {
        node.mesh.put(Drafts.pod("client", CLIENT).build());
        var app = node.closing(TestApp.start(SERVER, socket -> {
            var request = socket.getInputStream().readAllBytes();
            for (int i = 0; i < 1000; i++) {
                socket.getOutputStream().write(request);
            }
            socket.close();
        }));
        var pod = node.start("client", CLIENT);
        assertThat(talk(node.connect(pod, app.at(SERVER)), "0123456789")).hasSize(10_000);
        await().until(() -> pod.ledger().size() == 0);
    }

    /// Case 98.
    @Test
    void givenAPortThatIsTaken_whenAPodIsStarted_thenItFailsCleanlyAndWorksLater() throws Exception {
        var exclusive = new ServerSocket();
        exclusive.bind(SocketAddresses.of(Drafts.ip(SERVER), 15008));
        assertThatThrownBy(() -> node.start("server", SERVER)).isInstanceOfSatisfying(ProblemException.class, e -> {
            assertThat(e.problem().code()).isEqualTo("pod-listener-failed");
            assertThat(e.problem().message()).contains("15008");
        });
        exclusive.close();
        node.start("server", SERVER);
    }

    @Test
    void givenAnotherPartThatFails_whenAPodIsStarted_thenNoPortStaysOpen() throws Exception {
        assertThatThrownBy(() -> node.start("server", SERVER, List.of((pod, sockets) -> {
                    throw new IllegalStateException("no DNS");
                })))
                .hasMessage("no DNS");
        var exclusive = new ServerSocket();
        exclusive.bind(SocketAddresses.of(Drafts.ip(SERVER), 15008));
        exclusive.close();
    }

    /// Cases 98 and 99.
    @Test
    void givenAnOpenConnection_whenThePodDrains_thenItGoesOnWhileNewOnesAreRefusedUntilTheDeadlineCutsIt()
            throws Exception {
        node.mesh.put(Drafts.pod("client", CLIENT).build());
        var app = node.closing(TestApp.echo(SERVER));
        var pod = node.start("client", CLIENT);
        var socket = node.connect(pod, app.at(SERVER));
        assertThat(exchange(socket, "before")).isEqualTo("before");
        var drained = pod.drain();
        assertThat(exchange(socket, "during")).isEqualTo("during");
        assertThatThrownBy(() -> node.connect(pod, app.at(SERVER))).hasMessageContaining("refused");
        assertThat(drained).isNotDone();
        pod.close(); // the deadline
        assertThat(drained).succeedsWithin(TestNode.within(5));
        assertThat(isEnded(socket)).isTrue();
        await().untilAsserted(() -> assertThat(node.lines())
                .singleElement()
                .asString()
                .contains("error=\"connection closed due to connection drain\""));
    }

    @Test
    void givenAnOpenConnection_whenItEndsWhileDraining_thenDrainingIsOverAtOnce() throws Exception {
        node.mesh.put(Drafts.pod("client", CLIENT).build());
        var app = node.closing(TestApp.echo(SERVER));
        var pod = node.start("client", CLIENT);
        var socket = node.connect(pod, app.at(SERVER));
        assertThat(exchange(socket, "before")).isEqualTo("before");
        var drained = pod.drain();
        socket.close();
        assertThat(drained).succeedsWithin(TestNode.within(5));
    }

    /// Case 100.
    @Test
    void givenAnOpenConnection_whenThePodIsDeleted_thenItBreaksAtOnce() throws Exception {
        node.mesh.put(Drafts.pod("client", CLIENT).build());
        var app = node.closing(TestApp.echo(SERVER));
        var pod = node.start("client", CLIENT);
        var socket = node.connect(pod, app.at(SERVER));
        assertThat(exchange(socket, "before")).isEqualTo("before");
        pod.close();
        assertThat(isEnded(socket)).isTrue();
    }

    @Test
    void givenAnEndpointKnownByNameOnly_whenAPodConnects_thenItIsResolved() throws Exception {
        var app = node.closing(TestApp.echo(SERVER));
        node.names = (name, family) -> CompletableFuture.completedFuture(
                Optional.of(Drafts.ip(SERVER)).filter(ip -> name.equals("db.example")));
        node.mesh.put(Drafts.pod("client", CLIENT).build());
        var pod = node.start("client", CLIENT);
        var socket =
                node.socket(new IpPort(Drafts.ip(CLIENT), pod.ports().socks().orElseThrow()));
        socket.getOutputStream().write(new byte[] {5, 1, 0});
        assertThat(socket.getInputStream().readNBytes(2)).containsExactly(5, 0);
        var request = new ByteArrayOutputStream();
        request.write(new byte[] {5, 1, 0, 3, 10});
        request.write("db.example".getBytes(StandardCharsets.US_ASCII));
        request.write(new byte[] {(byte) (app.port() >> 8), (byte) app.port(), 'e', 'a', 'r', 'l', 'y'});
        socket.getOutputStream().write(request.toByteArray());
        assertThat(socket.getInputStream().readNBytes(10)).containsExactly(5, 0, 0, 1, 0, 0, 0, 0, 0, 0);
        assertThat(talk(socket, "late")).isEqualTo("earlylate");
        await().until(() -> node.counted("istio_on_demand_dns_total", "hostname=\"db.example\"") == 1);
    }

    @Test
    void givenASocksClient_whenItWantsAnythingButConnect_thenItIsToldThatItIsNotSupported() throws Exception {
        node.mesh.put(Drafts.pod("client", CLIENT).build());
        var pod = node.start("client", CLIENT);
        var socket =
                node.socket(new IpPort(Drafts.ip(CLIENT), pod.ports().socks().orElseThrow()));
        socket.getOutputStream().write(new byte[] {5, 2, 2, 0, 5, 2, 0, 1, 10, 0, 0, 1, 0, 80});
        assertThat(socket.getInputStream().readNBytes(2)).containsExactly(5, 0);
        assertThat(socket.getInputStream().readNBytes(2)).containsExactly(5, 7);
        await().until(() -> node.counted("istio_tcp_sockets_open", "source") == 0);
    }

    /// Cases 44 and weakness c.
    @Test
    void givenAnOpenPlainConnection_whenAPolicyIsAttachedThatDeniesIt_thenItIsCut() throws Exception {
        node.mesh.put(Drafts.pod("server", SERVER).build());
        node.mesh.put(Drafts.policy("only", Authorization.Scope.WORKLOAD_SELECTOR, Authorization.Action.ALLOW, "x"));
        var app = node.closing(TestApp.echo(SERVER));
        var pod = node.start("server", SERVER);
        var socket = node.connectInbound(pod, app.at(SERVER));
        assertThat(exchange(socket, "open")).isEqualTo("open");
        node.mesh.put(Drafts.pod("server", SERVER).policies("ns1/only").build());
        assertThat(isEnded(socket)).isTrue();
        await().untilAsserted(() -> assertThat(node.lines())
                .singleElement()
                .asString()
                .contains("error=\"connection closed due to policy change\""));
        assertThat(node.counted("istio_tcp_connections_closed_total", "DENY")).isEqualTo(1);
    }
}
