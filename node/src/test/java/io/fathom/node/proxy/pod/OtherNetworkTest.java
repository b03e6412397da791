// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import static io.fathom.node.proxy.pod.PlainTrafficTest.isTurnedAway;
import static io.fathom.node.proxy.pod.PlainTrafficTest.talk;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fathom.model.mesh.LoadBalancing;
import io.fathom.node.proxy.OpenConnection;
import io.fathom.wire.hbone.TunnelRequest;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Double HBONE: through the gateway of another network, which sees the outer tunnel only.
class OtherNetworkTest {
    private static final String CLIENT = "127.0.0.1";
    private static final String SERVER = TestNode.address(2);
    private static final String GATEWAY = TestNode.address(3);
    private static final String OWN = "spiffe://cluster.local/ns/ns1/sa/server";

    private final TestNode node = new TestNode();
    private List<TunnelRequest> outer = List.of();

    @AfterEach
    void close() {
        node.close();
    }

    /// Passes every tunnel on to the server's HBONE port, as an east-west gateway would.
    private void startGateway(int port) {
        var gateway = new TestGateway(node, "gateway", request -> Drafts.ipPort(SERVER + ":15008"));
        outer = gateway.requests;
        gateway.start(GATEWAY, port);
    }

    private ServedPod begin(int servicePort, String... subjectAltNames) {
        node.mesh.put(
                Drafts.pod("client", CLIENT).build(),
                Drafts.pod("gateway", GATEWAY).build(),
                Drafts.service("web", "10.9.9.9", servicePort, servicePort, subjectAltNames),
                Drafts.pod("remote")
                        .network("n2")
                        .account("server")
                        .behind("web", servicePort, servicePort)
                        .gateway(GATEWAY + ":15009")
                        .build());
        return node.start("client", TestNode.address(1));
    }

    /// Cases 3, 18 and 19.
    @Test
    void givenAnEndpointBehindAGateway_whenItIsCalled_thenTheInnerTunnelEndsAtTheServer() throws Exception {
        startGateway(15009);
        var app = node.closing(TestApp.echo(SERVER));
        var client = begin(app.port(), OWN);
        // what the far side knows of itself; in this process it is one mesh
        node.mesh.put(Drafts.pod("server", SERVER)
                .behind("web", app.port(), app.port())
                .network("n2")
                .gateway(GATEWAY + ":15009")
                .build());
        var server = node.start("server", SERVER);
        var socket = node.connect(client, Drafts.ipPort("10.9.9.9:" + app.port()));
        assertThat(PlainTrafficTest.exchange(socket, "hi")).isEqualTo("hi");
        assertThat(client.ledger().shown()).singleElement().satisfies(shown -> {
            assertThat(shown.protocol()).isEqualTo(OpenConnection.Protocol.DOUBLEHBONE);
            assertThat(shown.actualDestination()).hasToString(GATEWAY + ":15009");
        });
        assertThat(server.ledger().shown())
                .singleElement()
                .satisfies(shown -> assertThat(shown.originalDestination()).contains("web.example"));
        assertThat(outer).singleElement().satisfies(request -> {
            assertThat(request.headers().authority()).isEqualTo("web.example:" + app.port());
            assertThat(request.headers().forwardedNetwork()).isEmpty();
            assertThat(request.headers().traceparent()).isPresent();
            assertThat(request.headers().baggage().orElseThrow()).contains("k8s.namespace.name=ns1");
            assertThat(request.headers().forwarded().orElseThrow())
                    .startsWith("for=\"127.0.0.1:")
                    .endsWith(";host=web.example");
        });
        assertThat(talk(socket, "bye")).isEqualTo("bye");
        await().until(() -> node.lines().size() == 2);
        assertThat(node.lines())
                .anySatisfy(line -> assertThat(line) // another network's addresses mean nothing here
                        .contains("direction=\"inbound\"", "src.workload=\"client-deployment\""))
                .anySatisfy(line -> assertThat(line)
                        .contains(
                                "direction=\"outbound\"",
                                "dst.addr=" + GATEWAY + ":15009 dst.hbone_addr=web.example:" + app.port(),
                                "dst.workload=\"server-deployment\"", // told by the inner answer
                                "dst.identity=\"" + OWN + "\""));
    }

    /// Half of all calls would go to the gateway that is gone.
    @Test
    void givenTwoGatewaysAndOneIsGone_whenTheServiceIsCalled_thenEachCallSucceeds() throws Exception {
        startGateway(15009);
        var app = node.closing(TestApp.echo(SERVER));
        var client = begin(app.port(), OWN);
        var gone = TestNode.address(4);
        node.mesh.put(
                Drafts.pod("gone", gone).build(),
                Drafts.pod("remote-2")
                        .network("n2")
                        .account("server")
                        .behind("web", app.port(), app.port())
                        .gateway(gone + ":15009")
                        .build(),
                Drafts.pod("server", SERVER)
                        .behind("web", app.port(), app.port())
                        .network("n2")
                        .gateway(GATEWAY + ":15009")
                        .build());
        node.start("server", SERVER);
        for (int i = 0; i < 12; i++) {
            var socket = node.connect(client, Drafts.ipPort("10.9.9.9:" + app.port()));
            assertThat(talk(socket, "hi")).isEqualTo("hi");
        }
        assertThat(outer).hasSize(12);
        assertThat(node.load.gateways().now())
                .describedAs("nobody else tries it now")
                .hasSize(1);
    }

    @Test
    void givenAServiceThatNamesNobody_whenItIsCalledAcrossNetworks_thenTheInnerTunnelIsNotTrusted() {
        startGateway(15009);
        var app = node.closing(TestApp.echo(SERVER));
        var client = begin(app.port());
        node.mesh.put(Drafts.pod("server", SERVER).network("n2").build());
        node.start("server", SERVER);
        assertThat(isTurnedAway(() -> node.connect(client, Drafts.ipPort("10.9.9.9:" + app.port()))))
                .isTrue();
        await().until(() -> node.counted("istio_tcp_connections_failed_total", "source\".*TLS_FAILURE") == 1);
        assertThat(app.clients).isEmpty();
    }

    @Test
    void givenAServiceAndAGatewayThatComeOnDemand_whenItIsCalled_thenTheGatewayIsUsed() throws Exception {
        startGateway(15009);
        var app = node.closing(TestApp.echo(SERVER));
        node.mesh.put(Drafts.pod("client", CLIENT).build());
        node.mesh.onDemand(
                "n1/10.9.9.9",
                Drafts.service("web", "10.9.9.9", app.port(), app.port(), OWN),
                Drafts.pod("server", SERVER)
                        .behind("web", app.port(), app.port())
                        .network("n2")
                        .gateway(GATEWAY + ":15009")
                        .build());
        node.mesh.onDemand("n1/" + GATEWAY, Drafts.pod("gateway", GATEWAY).build());
        var client = node.start("client", TestNode.address(1));
        node.start("server", SERVER);
        assertThat(talk(node.connect(client, Drafts.ipPort("10.9.9.9:" + app.port())), "across"))
                .isEqualTo("across");
    }

    @Test
    void case4_givenAGatewayKnownByName_whenItIsUsed_thenOnThePortOfItsEndpoint() throws Exception {
        startGateway(15019);
        var app = node.closing(TestApp.echo(SERVER));
        node.mesh.put(
                Drafts.pod("client", CLIENT).build(),
                Drafts.service("gw", "10.9.9.1", 15009, 15019),
                Drafts.pod("gateway", GATEWAY).behind("gw", 15009, 15019).build(),
                Drafts.service("web", "10.9.9.9", app.port(), app.port(), OWN),
                Drafts.pod("server", SERVER)
                        .behind("web", app.port(), app.port())
                        .network("n2")
                        .gateway(Drafts.gatewayNamed("gw", 15009))
                        .build());
        var client = node.start("client", TestNode.address(1));
        node.start("server", SERVER);
        assertThat(talk(node.connect(client, Drafts.ipPort("10.9.9.9:" + app.port())), "named"))
                .isEqualTo("named");
        await().untilAsserted(() -> assertThat(node.lines())
                .anySatisfy(line -> assertThat(line).contains("outbound", "dst.addr=" + GATEWAY + ":15019")));
    }

    @Test
    void case5_givenAWaypointOnAnotherNetwork_whenTheServiceIsCalled_thenItIsReachedThroughTheGateway()
            throws Exception {
        startGateway(15009);
        var app = node.closing(TestApp.echo(SERVER));
        node.mesh.put(
                Drafts.pod("client", CLIENT).build(),
                Drafts.pod("gateway", GATEWAY).build(),
                Drafts.guarded(
                        Drafts.service("web", "10.9.9.9", app.port(), app.port()), Drafts.gatewayNamed("way", 15008)),
                Drafts.service("way", "10.9.9.8", 15008, 15008, OWN),
                Drafts.pod("server", SERVER)
                        .behind("way", 15008, 15008)
                        .network("n2")
                        .gateway(GATEWAY + ":15009")
                        .build());
        var client = node.start("client", TestNode.address(1));
        node.start("server", SERVER);
        assertThat(talk(node.connect(client, Drafts.ipPort("10.9.9.9:" + app.port())), "guarded"))
                .isEqualTo("guarded");
        assertThat(outer)
                .singleElement()
                .satisfies(request -> assertThat(request.headers().authority()).isEqualTo("web.example:" + app.port()));
    }

    @Test
    void case6_givenFailoverBetweenNetworks_whenTheNearPodFails_thenTheFarOneServes() throws Exception {
        startGateway(15009);
        var near = TestNode.address(4);
        var far = node.closing(TestApp.echo(SERVER));
        var nearby = node.closing(TestApp.start(near, far.port(), socket -> {
            socket.getInputStream().transferTo(socket.getOutputStream());
            socket.close();
        }));
        var port = far.port();
        node.mesh.put(
                Drafts.pod("client", CLIENT).build(),
                Drafts.pod("gateway", GATEWAY).build(),
                Drafts.balanced(
                        Drafts.service("web", "10.9.9.9", port, port, OWN),
                        LoadBalancing.Mode.FAILOVER,
                        LoadBalancing.Scope.NETWORK),
                Drafts.pod("near", near).behind("web", port, port).build(),
                Drafts.pod("server", SERVER)
                        .behind("web", port, port)
                        .network("n2")
                        .gateway(GATEWAY + ":15009")
                        .build());
        var client = node.start("client", TestNode.address(1));
        node.start("near", near);
        node.start("server", SERVER);
        for (int i = 0; i < 4; i++) {
            assertThat(talk(node.connect(client, Drafts.ipPort("10.9.9.9:" + port)), "x"))
                    .isEqualTo("x");
        }
        assertThat(nearby.clients).hasSize(4);
        node.mesh.put(
                Drafts.pod("near", near).behind("web", port, port).unhealthy().build());
        assertThat(talk(node.connect(client, Drafts.ipPort("10.9.9.9:" + port)), "x"))
                .isEqualTo("x");
        assertThat(far.clients).hasSize(1);
        assertThat(nearby.clients).hasSize(4);
    }

    /// Case 2.
    @Test
    void givenAnEndpointOnAnotherNetworkWithoutGateway_whenItIsCalled_thenItIsTurnedAway() {
        node.mesh.put(
                Drafts.pod("client", CLIENT).build(),
                Drafts.service("web", "10.9.9.9", 80, 80),
                Drafts.pod("remote", "10.2.2.2")
                        .network("n2")
                        .behind("web", 80, 80)
                        .build());
        var client = node.start("client", TestNode.address(1));
        assertThat(isTurnedAway(() -> node.connect(client, Drafts.ipPort("10.9.9.9:80"))))
                .isTrue();
    }
}
