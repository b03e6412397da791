// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import static io.fathom.node.proxy.pod.PlainTrafficTest.exchange;
import static io.fathom.node.proxy.pod.PlainTrafficTest.isEnded;
import static io.fathom.node.proxy.pod.PlainTrafficTest.isTurnedAway;
import static io.fathom.node.proxy.pod.PlainTrafficTest.talk;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.model.mesh.Identity;
import io.fathom.model.policy.Authorization;
import io.fathom.node.proxy.OpenConnection;
import io.fathom.node.proxy.ProxyConfig;
import io.fathom.wire.hbone.ConnectHeaders;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Plain connections to a pod that wants them to go through its waypoint; the table is in `HairpinsTest`.
class HairpinTrafficTest {
    private static final String SERVER = TestNode.address(2);
    private static final String WAYPOINT = TestNode.address(5);
    private static final String SECOND = TestNode.address(6);

    private final TestNode node = new TestNode(ProxyConfig.DEFAULT.times(Duration.ofSeconds(2), Duration.ofSeconds(1)));
    private final TestApp app = node.closing(TestApp.echo(SERVER));
    private final TestGateway waypoint = new TestGateway(
            node, "waypoint", request -> Drafts.ipPort(request.headers().authority()));
    private ServedPod server;

    @BeforeEach
    void start() {
        node.mesh.put(
                Drafts.pod("server", SERVER)
                        .waypoint(WAYPOINT + ":15008")
                        .hairpin()
                        .build(),
                Drafts.pod("waypoint", WAYPOINT).build());
        server = node.start("server", SERVER);
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void whenSomebodyConnects_thenTheWaypointIsAskedForThePodWithoutAWordOnThePodsBehalf() throws Exception {
        waypoint.start(WAYPOINT, 15008);
        var socket = node.connectInbound(server, app.at(SERVER));
        assertThat(exchange(socket, "hello")).isEqualTo("hello");

        assertThat(waypoint.requests).singleElement().satisfies(request -> {
            assertThat(request.tls().identity()).contains(new Identity("cluster.local", "ns1", "server"));
            assertThat(request.headers().authority()).isEqualTo(app.at(SERVER).toString());
            assertThat(request.headers().origin()).isEqualTo(ConnectHeaders.TunnelOrigin.PLAIN_TEXT);
            assertThat(request.headers().forwarded()).contains("for=\"127.0.0.1:" + socket.getLocalPort() + "\"");
            assertThat(request.headers().baggage()).isEmpty();
        });
        assertThat(server.ledger().shown()).singleElement().satisfies(shown -> {
            assertThat(shown.direction()).isEqualTo(OpenConnection.Direction.INBOUND);
            assertThat(shown.actualDestination()).hasToString(WAYPOINT + ":15008");
            assertThat(shown.originalDestination()).contains(app.at(SERVER).toString());
        });
        assertThat(node.load.of("c1//Pod/ns1/waypoint")).isEqualTo(1);
        socket.close();
        await().untilAsserted(() -> assertThat(node.lines())
                .singleElement()
                .asString()
                .contains(
                        "connection complete",
                        "dst.addr=" + WAYPOINT + ":15008 dst.hbone_addr=" + app.at(SERVER),
                        "dst.workload=\"server\"",
                        "direction=\"inbound\" bytes_sent=5 bytes_recv=5")
                .doesNotContain("identity", "error"));
        assertThat(node.counted(
                        "istio_tcp_connections_closed_total",
                        "reporter=\"destination\".*destination_workload=\"server-deployment\".*policy=\"unknown"))
                .isEqualTo(1);
        assertThat(node.counted("istio_tcp_sockets_open", "destination")).isZero();
        assertThat(node.load.of("c1//Pod/ns1/waypoint")).isZero();
        assertThat(server.ledger().size()).isZero();
    }

    @Test
    void givenThePodDoesNotAsk_thenTheApplicationIsDialledAtOnce() throws Exception {
        waypoint.start(WAYPOINT, 15008);
        node.mesh.put(Drafts.pod("server", SERVER).waypoint(WAYPOINT + ":15008").build());
        assertThat(talk(node.connectInbound(server, app.at(SERVER)), "x")).isEqualTo("x");
        assertThat(waypoint.requests).isEmpty();
    }

    @Test
    void givenTheWaypointIsNotThere_thenTheConnectionEndsAndTheApplicationSeesNothing() {
        assertThat(isTurnedAway(() -> node.connectInbound(server, app.at(SERVER))))
                .isTrue();
        await().untilAsserted(() -> assertThat(node.lines())
                .singleElement()
                .asString()
                .contains("\terror\t", "dst.addr=" + WAYPOINT + ":15008", "direction=\"inbound\"", "error="));
        assertThat(node.counted("istio_tcp_connections_failed_total", "CONNECT"))
                .isEqualTo(1);
        assertThat(app.clients).isEmpty();
        assertThat(server.drain()).succeedsWithin(TestNode.within(5));
    }

    @Test
    void givenTheWaypointIsUnknown_thenItIsAskedFor_andWithoutItTheConnectionIsTurnedAway() throws Exception {
        waypoint.start(SECOND, 15008);
        node.mesh.put(Drafts.pod("server", SERVER)
                .waypoint(SECOND + ":15008")
                .hairpin()
                .build());
        assertThat(isTurnedAway(() -> node.connectInbound(server, app.at(SERVER))))
                .isTrue();
        await().untilAsserted(() -> assertThat(node.lines())
                .singleElement()
                .asString()
                .contains("connection failed", "the waypoint of the destination is not known"));

        node.mesh.onDemand(
                "n1/" + SECOND, Drafts.pod("second", SECOND).account("waypoint").build());
        assertThat(talk(node.connectInbound(server, app.at(SERVER)), "x")).isEqualTo("x");
        assertThat(waypoint.requests).hasSize(1);
    }

    @Test
    void givenADeadEndpointOfTheWaypoint_thenAnotherServes() throws Exception {
        waypoint.start(SECOND, 15008);
        node.mesh.put(
                Drafts.service("wp", "10.9.9.9", 15008, 15008),
                Drafts.pod("dead", WAYPOINT)
                        .account("waypoint")
                        .behind("wp", 15008, 15008)
                        .build(),
                Drafts.pod("live", SECOND)
                        .account("waypoint")
                        .behind("wp", 15008, 15008)
                        .build(),
                Drafts.pod("server", SERVER)
                        .waypoint("10.9.9.9:15008")
                        .hairpin()
                        .build());
        for (int i = 0; i < 10; i++) {
            assertThat(talk(node.connectInbound(server, app.at(SERVER)), "x" + i))
                    .isEqualTo("x" + i);
        }
        await().until(() -> node.lines().size() == 10);
        assertThat(node.lines()).allMatch(line -> line.contains("dst.addr=" + SECOND) && !line.contains("error"));
    }

    @Test
    void givenSomebodyElseAtTheWaypointsAddress_thenNothingIsSentThere() {
        new TestGateway(
                        node,
                        "impostor",
                        request -> Drafts.ipPort(request.headers().authority()))
                .start(WAYPOINT, 15008);
        assertThat(isTurnedAway(() -> node.connectInbound(server, app.at(SERVER))))
                .isTrue();
        await().until(() -> node.counted("istio_tcp_connections_failed_total", "TLS_FAILURE") == 1);
        assertThat(app.clients).isEmpty();
    }

    @Test
    void givenAPolicyThatDoesNotLetTheWaypointIn_thenItIsDenied_andWhatIsOpenIsCut() throws Exception {
        waypoint.start(WAYPOINT, 15008);
        var open = node.connectInbound(server, app.at(SERVER));
        assertThat(exchange(open, "hello")).isEqualTo("hello");

        node.mesh.put(
                Drafts.policy("waypoints", Authorization.Scope.NAMESPACE, Authorization.Action.ALLOW, "waypoint"));
        assertThat(exchange(open, "still")).isEqualTo("still");
        assertThat(talk(node.connectInbound(server, app.at(SERVER)), "new")).isEqualTo("new");

        node.mesh.put(Drafts.policy("waypoints", Authorization.Scope.NAMESPACE, Authorization.Action.ALLOW, "nobody"));
        assertThat(isEnded(open)).isTrue();
        assertThat(isTurnedAway(() -> node.connectInbound(server, app.at(SERVER))))
                .isTrue();
        await().until(() -> node.counted("istio_tcp_connections_failed_total", "DENY") == 1);
        await().untilAsserted(() ->
                assertThat(node.lines()).anyMatch(line -> line.contains("connection closed due to policy change")));
        assertThat(waypoint.requests).hasSize(2);
    }

    @Test
    void givenCallsMustComeThroughTheWaypoint_thenPlainTextDoes_andWithoutTheHairpinItIsDeniedAndCut()
            throws Exception {
        waypoint.start(WAYPOINT, 15008);
        node.mesh.put(Drafts.pod("server", SERVER).waypoint(WAYPOINT + ":15008").build());
        var direct = node.connectInbound(server, app.at(SERVER));
        assertThat(exchange(direct, "hello")).isEqualTo("hello");

        node.mesh.put(Drafts.requiring("waypoint"));
        assertThat(isEnded(direct)).as("what was open is cut").isTrue();
        assertThat(isTurnedAway(() -> node.connectInbound(server, app.at(SERVER))))
                .isTrue();
        await().untilAsserted(() -> assertThat(node.lines())
                .anyMatch(line -> line.contains("calls must come through waypoint ns1/waypoint")));

        node.mesh.put(Drafts.pod("server", SERVER)
                .waypoint(WAYPOINT + ":15008")
                .hairpin()
                .build());
        assertThat(talk(node.connectInbound(server, app.at(SERVER)), "x")).isEqualTo("x");
        assertThat(waypoint.requests).hasSize(1);
    }

    @Test
    void whenDrained_thenWhatIsOpenGoesOnToItsEnd() throws Exception {
        waypoint.start(WAYPOINT, 15008);
        var open = node.connectInbound(server, app.at(SERVER));
        assertThat(exchange(open, "hello")).isEqualTo("hello");
        var drained = server.drain();
        assertThat(exchange(open, "still")).isEqualTo("still");
        assertThat(drained).isNotDone();
        assertThat(talk(open, "end")).isEqualTo("end");
        assertThat(drained).succeedsWithin(TestNode.within(5));
    }
}
