// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import static io.fathom.node.proxy.pod.PlainTrafficTest.talk;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fathom.model.mesh.LoadBalancing;
import io.fathom.model.mesh.Service.IpFamilies;
import io.fathom.model.mesh.Workload.ApplicationTunnel;
import io.fathom.node.proxy.ProxyConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Where connections really end up, by the outbound cases of the fact sheet; the table is in `OutboundRouterTest`.
class RoutingTrafficTest {
    private static final String CLIENT = "127.0.0.1";
    private static final String SERVER = TestNode.address(2);
    private static final String WAYPOINT = TestNode.address(5);
    private static final String OTHER = TestNode.address(6);
    private static final String VIP = "10.9.9.9";
    private static final String VIP6 = "2001:db8:9::9";

    private final TestNode node = new TestNode(ProxyConfig.DEFAULT.times(Duration.ofSeconds(5), Duration.ofSeconds(1)));
    private ServedPod client;

    @BeforeEach
    void start() {
        node.mesh.put(Drafts.pod("client", CLIENT).build());
        client = node.start("client", TestNode.address(1));
    }

    @AfterEach
    void close() {
        node.close();
    }

    private String call(String target) throws IOException {
        return talk(node.connect(client, Drafts.ipPort(target)), "x");
    }

    /// A waypoint whose application answers whatever it is asked for.
    private TestApp startWaypoint() {
        var app = node.closing(TestApp.echo(WAYPOINT));
        node.mesh.put(Drafts.pod("waypoint", WAYPOINT)
                .tunnel(ApplicationTunnel.Protocol.NONE, app.port())
                .build());
        node.start("waypoint", WAYPOINT);
        return app;
    }

    private void assertTunnel(String hop, String authority) {
        await().untilAsserted(() -> assertThat(node.lines())
                .anySatisfy(line ->
                        assertThat(line).contains("outbound", "dst.addr=" + hop + " dst.hbone_addr=" + authority)));
    }

    @Test
    void case8_givenTheClientHasAWaypoint_whenItCalls_thenThatIsNotInvolved() throws Exception {
        var waypoint = startWaypoint();
        var app = node.closing(TestApp.echo(SERVER));
        node.mesh.put(
                Drafts.pod("client", CLIENT).waypoint(WAYPOINT + ":15008").build(),
                Drafts.pod("server", SERVER).build());
        node.start("server", SERVER);
        assertThat(call(app.at(SERVER).toString())).isEqualTo("x");
        assertThat(app.clients).hasSize(1);
        assertThat(waypoint.clients).isEmpty();
    }

    @Test
    void case10_givenAnIpv6TargetBehindAnIpv4Waypoint_whenItIsCalled_thenTheWaypointLearnsTheTarget() throws Exception {
        startWaypoint();
        node.mesh.put(Drafts.pod("target", "2001:db8::7")
                .waypoint(WAYPOINT + ":15008")
                .build());
        assertThat(call("[2001:db8::7]:80")).isEqualTo("x");
        assertTunnel(WAYPOINT + ":15008", "[2001:db8::7]:80");
    }

    @Test
    void case11_givenAServiceWithAWaypoint_whenItIsCalled_thenTheWaypointLearnsItsAddress() throws Exception {
        startWaypoint();
        node.mesh.put(Drafts.guarded(Drafts.service("web", VIP, 80, 8080), Drafts.gateway(WAYPOINT + ":15008")));
        assertThat(call(VIP + ":80")).isEqualTo("x");
        assertTunnel(WAYPOINT + ":15008", VIP + ":80");
    }

    @Test
    void givenAServiceWhoseWaypointIsAboutToServeIt_whenItIsCalled_thenTheCallWaitsForTheWaypoint() throws Exception {
        startWaypoint();
        var web = Drafts.guarded(Drafts.service("web", VIP, 80, 8080), Drafts.gateway(WAYPOINT + ":15008"));
        node.mesh.put(web.awaitingWaypoints());
        var socket = node.connect(client, Drafts.ipPort(VIP + ":80"));
        node.mesh.put(Drafts.pod("unrelated", OTHER).build());
        assertThat(node.lines()).isEmpty();
        node.mesh.put(web);
        assertThat(talk(socket, "x")).isEqualTo("x");
        assertTunnel(WAYPOINT + ":15008", VIP + ":80");
    }

    @Test
    void case13_givenANamedPort_whenTheServiceIsCalled_thenOnlyTheEndpointThatHasItServes() throws Exception {
        var app = node.closing(TestApp.echo(SERVER));
        node.mesh.put(
                Drafts.service("web", VIP, 80, 0),
                Drafts.pod("without", OTHER).plain().behindWithoutPorts("web").build(),
                Drafts.pod("with", SERVER).plain().behind("web", 80, app.port()).build());
        for (int i = 0; i < 8; i++) {
            assertThat(call(VIP + ":80")).isEqualTo("x");
        }
        assertThat(app.clients).hasSize(8);
    }

    @Test
    void case14_givenPodsOnTheHostsAddress_whenServicesAreCalled_thenEachReachesItsPodAndTheHostIsNobody()
            throws Exception {
        var one = node.closing(TestApp.echo(OTHER));
        var two = node.closing(TestApp.echo(OTHER));
        node.mesh.put(
                Drafts.service("one", VIP, 80, one.port()),
                Drafts.pod("one", OTHER)
                        .onHostNetwork()
                        .plain()
                        .behind("one", 80, one.port())
                        .build(),
                Drafts.service("two", "10.9.9.8", 80, two.port()),
                Drafts.pod("two", OTHER)
                        .onHostNetwork()
                        .plain()
                        .behind("two", 80, two.port())
                        .build());
        assertThat(call(VIP + ":80")).isEqualTo("x");
        assertThat(one.clients).hasSize(1);
        assertThat(call("10.9.9.8:80")).isEqualTo("x");
        assertThat(two.clients).hasSize(1);
        assertThat(call(one.at(OTHER).toString())).isEqualTo("x");
        await().until(() -> node.lines().size() == 3);
        assertThat(node.lines().getLast()).doesNotContain("dst.workload");
    }

    @ParameterizedTest
    @CsvSource({
        "AUTOMATIC, false, 4",
        "AUTOMATIC, true, 6",
        "DUAL, false, 4",
        "DUAL, true, 6",
        "IPV4_ONLY, true, 4",
        "IPV6_ONLY, false, 6"
    })
    void case15And16_givenADualStackPod_whenAnAddressIsDialled_thenItsFamilyIsKeptUnlessTheServiceSaysOtherwise(
            IpFamilies families, boolean dialIpv6, int wanted) throws Exception {
        assumeTrue(
                Files.readString(Path.of("/proc/sys/net/ipv6/conf/lo/disable_ipv6"))
                        .startsWith("0"),
                "skipped: no IPv6 on this machine");
        var four = node.closing(TestApp.echo(SERVER));
        var six = node.closing(TestApp.start("::1", four.port(), socket -> {
            socket.getInputStream().transferTo(socket.getOutputStream());
            socket.close();
        }));
        node.mesh.put(
                Drafts.families(Drafts.service("web", VIP, 80, four.port()), VIP6, families),
                Drafts.pod("dual", SERVER, "::1")
                        .plain()
                        .behind("web", 80, four.port())
                        .build());
        assertThat(call(dialIpv6 ? "[" + VIP6 + "]:80" : VIP + ":80")).isEqualTo("x");
        assertThat(wanted == 4 ? four.clients : six.clients).hasSize(1);
        assertThat(wanted == 4 ? six.clients : four.clients).isEmpty();
    }

    @Test
    void case17_givenPassthrough_whenTheServiceIsCalled_thenItsAddressIsDialled_butAWaypointComesFirst()
            throws Exception {
        var app = node.closing(TestApp.echo(OTHER));
        var service =
                Drafts.balanced(Drafts.service("web", OTHER, app.port(), app.port()), LoadBalancing.Mode.PASSTHROUGH);
        node.mesh.put(
                service,
                Drafts.pod("elsewhere", SERVER)
                        .plain()
                        .behind("web", app.port(), 1)
                        .build());
        assertThat(call(app.at(OTHER).toString())).isEqualTo("x");
        assertThat(app.clients).hasSize(1);
        var waypoint = startWaypoint();
        node.mesh.put(Drafts.guarded(service, Drafts.gateway(WAYPOINT + ":15008")));
        assertThat(call(app.at(OTHER).toString())).isEqualTo("x");
        assertThat(waypoint.clients).hasSize(1);
        assertThat(app.clients).hasSize(1);
    }
}
