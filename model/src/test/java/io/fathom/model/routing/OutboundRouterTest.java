// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import static io.fathom.model.routing.Fixtures.gateway;
import static io.fathom.model.routing.Fixtures.ip;
import static io.fathom.model.routing.Fixtures.ipPort;
import static io.fathom.model.routing.Fixtures.named;
import static io.fathom.model.routing.Fixtures.pod;
import static io.fathom.model.routing.Fixtures.service;
import static io.fathom.model.routing.Fixtures.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.LoadBalancing.Mode;
import io.fathom.model.mesh.LoadBalancing.Scope;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.routing.OutboundDecision.AwaitName;
import io.fathom.model.routing.OutboundDecision.NestedTunnel;
import io.fathom.model.routing.OutboundDecision.Passthrough;
import io.fathom.model.routing.OutboundDecision.Plain;
import io.fathom.model.routing.OutboundDecision.Refuse;
import io.fathom.model.routing.OutboundDecision.Tunnel;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Cases 1 to 17 and 33 of the fact sheet, and the order of its section 7.
final class OutboundRouterTest {
    private static final Fixtures.WorkloadDraft CLIENT = pod("client", "10.0.0.1");
    private static final Fixtures.WorkloadDraft WAYPOINT =
            pod("waypoint", "10.0.0.50").account("wp");
    private static final OutboundRouter ROUTER =
            new OutboundRouter("n1", ProxyPorts.DEFAULT, new Balancer(Load.UNKNOWN));

    private static OutboundDecision decide(MeshView view, String target) {
        return decide(view, CLIENT.build(), target);
    }

    private static OutboundDecision decide(MeshView view, Workload source, String target) {
        var request = new OutboundRequest(source, source.addresses().getFirst(), ipPort(target));
        return ROUTER.decide(view, request, new Random(1));
    }

    /// The decision in one line, so that tables can be read.
    private static String text(OutboundDecision decision) {
        return switch (decision) {
            case Passthrough pass -> "as is " + pass.target();
            case Plain plain -> "plain " + plain.hop();
            case Tunnel tunnel -> "tunnel " + tunnel.hop() + " " + tunnel.authority() + " " + accounts(tunnel.peers());
            case NestedTunnel nested ->
                "nested " + text(nested.gateway()) + " " + nested.authority() + " " + accounts(nested.peers());
            case AwaitName name -> "await " + name.hostname() + " " + name.preferred();
            case Refuse refuse -> "refuse " + refuse.reason();
        };
    }

    private static String accounts(Set<io.fathom.model.mesh.Identity> peers) {
        return peers.stream().map(peer -> peer.serviceAccount()).sorted().collect(Collectors.joining(",", "[", "]"));
    }

    @Test
    void case1_givenUnknownAddress_thenAsIs() {
        assertThat(text(decide(view(CLIENT), "1.2.3.4:80"))).isEqualTo("as is 1.2.3.4:80");
    }

    @Test
    void case2_givenOnlyAnEndpointOnAnotherNetworkWithoutGateway_thenRefuse() {
        var view = view(
                service("far", "10.1.0.1"), pod("p", "10.0.0.2").network("n2").behind("far"));
        assertThat(text(decide(view, "10.1.0.1:80"))).isEqualTo("refuse NO_NETWORK_GATEWAY");
    }

    @Test
    void case3_givenGatewayByAddressAndEndpointWithoutOne_thenNestedTunnelWithTheHostname() {
        var view = view(
                service("far", "10.1.0.1").names("spiffe://cluster.local/ns/ns1/sa/far"),
                pod("p").network("n2").behind("far").networkGateway(gateway("n2", "10.22.1.1:15009")),
                pod("gw", "10.22.1.1").network("n2").account("gw"));
        assertThat(text(decide(view, "10.1.0.1:80")))
                .isEqualTo("nested tunnel 10.22.1.1:15009 far.example:80 [gw] far.example:80 [far]");
    }

    /// As a stock istiod tells it: entries for what is behind a gateway keep the gateway's address.
    @Test
    void givenEntriesWithTheGatewaysOwnAddress_thenTheGatewayAnswersWithItsIdentity_andEachServiceHasItsOwn() {
        var way = gateway("n2", "10.22.1.1:15009");
        var view = view(
                service("a", "10.1.0.1").names("spiffe://cluster.local/ns/ns1/sa/a"),
                service("b", "10.1.0.2").names("spiffe://cluster.local/ns/ns1/sa/b"),
                pod("entry-a", "10.22.1.1").network("n2").behind("a").networkGateway(way),
                pod("entry-b", "10.22.1.1").network("n2").behind("b").networkGateway(way),
                pod("gw", "10.22.1.1").network("n2").account("gw"));
        assertThat(text(decide(view, "10.1.0.1:80")))
                .isEqualTo("nested tunnel 10.22.1.1:15009 a.example:80 [gw] a.example:80 [a]");
        assertThat(text(decide(view, "10.1.0.2:80")))
                .isEqualTo("nested tunnel 10.22.1.1:15009 b.example:80 [gw] b.example:80 [b]");
    }

    @Test
    void case3_givenTheGatewayIsNotKnown_thenRefuse() {
        var view = view(
                service("far", "10.1.0.1"),
                pod("p").network("n2").behind("far").networkGateway(gateway("n2", "10.22.1.1:15009")));
        assertThat(text(decide(view, "10.1.0.1:80"))).isEqualTo("refuse NETWORK_GATEWAY_UNKNOWN");
    }

    @Test
    void case4_givenGatewayByHostname_thenItsEndpointOnTheMappedPort() {
        var view = view(
                service("far", "10.1.0.1"),
                pod("p").network("n2").behind("far").networkGateway(named("gw.example", 15009)),
                service("gw").network("n2").ports("15009:15008").names("spiffe://cluster.local/ns/ns1/sa/other"),
                pod("gw1", "10.22.1.7").network("n2").account("gw").behind("gw"));
        assertThat(text(decide(view, "10.1.0.1:80")))
                .isEqualTo("nested tunnel 10.22.1.7:15008 far.example:80 [gw,other] far.example:80 []");
    }

    @Test
    void case5_givenWaypointOnAnotherNetwork_thenNestedTunnelWithTheHostOfTheTarget() {
        var view = view(
                service("web", "10.1.0.1").waypoint(named("wp.example", 15008)),
                service("wp").ports("15008:15008").names("spiffe://cluster.local/ns/ns1/sa/wp"),
                pod("wp1").network("n2").behind("wp").networkGateway(gateway("n2", "10.22.1.1:15009")),
                pod("gw", "10.22.1.1").network("n2").account("gw"));
        assertThat(text(decide(view, "10.1.0.1:80")))
                .isEqualTo("nested tunnel 10.22.1.1:15009 web.example:80 [gw] web.example:80 [wp]");
    }

    @ParameterizedTest
    @CsvSource({
        "true, tunnel 10.0.0.2:15008 10.0.0.2:8080 [default]",
        "false, nested tunnel 10.22.1.1:15009 both.example:80 [gw] both.example:80 []"
    })
    void case6_givenFailoverByNetwork_thenLocalWhileHealthy(boolean healthy, String wanted) {
        var local = pod("near", "10.0.0.2").behind("both");
        var view = view(
                service("both", "10.1.0.1").balancing(Mode.FAILOVER, Scope.NETWORK),
                healthy ? local : local.unhealthy(),
                pod("far").network("n2").behind("both").networkGateway(gateway("n2", "10.22.1.1:15009")),
                pod("gw", "10.22.1.1").network("n2").account("gw"));
        assertThat(text(decide(view, "10.1.0.1:80"))).isEqualTo(wanted);
    }

    @ParameterizedTest
    @ValueSource(strings = {"node1", "node2"})
    void case7_givenAnyNode_thenOnlyTheProtocolCounts(String node) {
        var view = view(
                pod("hbone", "10.0.0.2").node(node),
                pod("tcp", "10.0.0.3").node(node).plain());
        assertThat(text(decide(view, "10.0.0.2:80"))).isEqualTo("tunnel 10.0.0.2:15008 10.0.0.2:80 [default]");
        assertThat(text(decide(view, "10.0.0.3:80"))).isEqualTo("plain 10.0.0.3:80");
    }

    @Test
    void case8_givenTheSourceHasAWaypoint_thenItIsNotUsed() {
        var source = pod("client", "10.0.0.1").waypoint(gateway("10.0.0.50:15008"));
        var view = view(source, WAYPOINT, pod("p", "10.0.0.2"));
        assertThat(text(decide(view, source.build(), "10.0.0.2:80")))
                .isEqualTo("tunnel 10.0.0.2:15008 10.0.0.2:80 [default]");
    }

    @Test
    void case9_givenTheWorkloadHasAWaypoint_thenThroughIt() {
        var view = view(WAYPOINT, pod("p", "10.0.0.2").waypoint(gateway("10.0.0.50:15008")));
        assertThat(text(decide(view, "10.0.0.2:80"))).isEqualTo("tunnel 10.0.0.50:15008 10.0.0.2:80 [wp]");
    }

    @Test
    void case9_givenTheCallerIsAnyPodOfThatWaypoint_thenDirect() {
        var replica1 = pod("wp1", "10.0.0.51").account("wp").behind("wp");
        var replica2 = pod("wp2", "10.0.0.52").account("wp").behind("wp");
        var view = view(
                service("wp").ports("15008:15008"),
                replica1,
                replica2,
                pod("p", "10.0.0.2").waypoint(named("wp.example", 15008)));
        for (var replica : new Fixtures.WorkloadDraft[] {replica1, replica2}) {
            assertThat(text(decide(view, replica.build(), "10.0.0.2:80")))
                    .isEqualTo("tunnel 10.0.0.2:15008 10.0.0.2:80 [default]");
        }
        var impostor = new OutboundRequest(replica1.build(), ip("10.0.0.99"), ipPort("10.0.0.2:80"));
        assertThat(text(ROUTER.decide(view, impostor, new Random(1)))).contains("15008 10.0.0.2:80 [wp]");
    }

    @Test
    void case9_givenTheWaypointIsGoneOrEmpty_thenRefuse() {
        var served = pod("p", "10.0.0.2").waypoint(named("wp.example", 15008));
        assertThat(text(decide(view(served), "10.0.0.2:80"))).isEqualTo("refuse WAYPOINT_UNKNOWN");
        assertThat(text(decide(view(served, service("wp").ports("15008:15008")), "10.0.0.2:80")))
                .isEqualTo("refuse WAYPOINT_WITHOUT_ENDPOINT");
    }

    @Test
    void case10_givenIpv6TargetAndIpv4Waypoint_thenIpv4HopAndIpv6Authority() {
        var view = view(WAYPOINT, pod("p", "10.0.0.2", "2001:db8::2").waypoint(gateway("10.0.0.50:15008")));
        assertThat(text(decide(view, "[2001:db8::2]:80"))).isEqualTo("tunnel 10.0.0.50:15008 [2001:db8::2]:80 [wp]");
    }

    @Test
    void case11_givenTheServiceHasAWaypoint_thenThroughItWithTheAddressThatWasCalled() {
        var view = view(
                WAYPOINT,
                service("web", "10.1.0.1").waypoint(gateway("10.0.0.50:15008")),
                pod("p", "10.0.0.2").behind("web").waypoint(gateway("10.0.0.66:15008")));
        assertThat(text(decide(view, "10.1.0.1:80"))).isEqualTo("tunnel 10.0.0.50:15008 10.1.0.1:80 [wp]");
    }

    @Test
    void case11_givenTheWaypointOfAServiceIsGone_thenRefuse() {
        var view = view(
                service("web", "10.1.0.1").waypoint(gateway("10.0.0.50:15008")),
                pod("p", "10.0.0.2").behind("web"));
        assertThat(text(decide(view, "10.1.0.1:80"))).isEqualTo("refuse WAYPOINT_UNKNOWN");
    }

    @Test
    void givenServiceTraffic_thenTheWaypointOfThePickedWorkloadIsNotUsed() {
        var view = view(
                WAYPOINT,
                service("web", "10.1.0.1"),
                pod("p", "10.0.0.2").behind("web").waypoint(gateway("10.0.0.50:15008")));
        assertThat(text(decide(view, "10.1.0.1:80"))).isEqualTo("tunnel 10.0.0.2:15008 10.0.0.2:8080 [default]");
    }

    @Test
    void case12_givenNoEndpointsOrNoSuchPort_thenRefuse() {
        var view = view(service("web", "10.1.0.1"));
        assertThat(text(decide(view, "10.1.0.1:80"))).isEqualTo("refuse NO_HEALTHY_ENDPOINT");
        assertThat(text(decide(view, "10.1.0.1:81"))).isEqualTo("refuse NO_SUCH_PORT");
    }

    @Test
    void case13_givenANamedPort_thenOnlyEndpointsThatMapIt() {
        var view = view(
                service("web", "10.1.0.1").ports("80:0"),
                pod("without", "10.0.0.2").behind("web"),
                pod("with", "10.0.0.3").behind("web", "80:1234"));
        for (int i = 0; i < 20; i++) {
            assertThat(text(decide(view, "10.1.0.1:80"))).isEqualTo("tunnel 10.0.0.3:15008 10.0.0.3:1234 [default]");
        }
    }

    @Test
    void case14_givenHostNetworkPods_thenServicesReachThemAndTheNodeAddressIsNobodys() {
        var view = view(
                service("one", "10.1.0.1"),
                pod("one", "192.168.0.1").onHostNetwork().plain().behind("one"),
                service("two", "10.1.0.2"),
                pod("two", "192.168.0.1").onHostNetwork().plain().behind("two", "80:9090"));
        assertThat(text(decide(view, "10.1.0.1:80"))).isEqualTo("plain 192.168.0.1:8080");
        assertThat(text(decide(view, "10.1.0.2:80"))).isEqualTo("plain 192.168.0.1:9090");
        assertThat(text(decide(view, "192.168.0.1:80"))).isEqualTo("as is 192.168.0.1:80");
    }

    @Test
    void case15_givenDualStack_thenTheDialledFamilyIsKept() {
        var view = view(
                service("web", "10.1.0.1", "2001:db8:1::1"),
                pod("p", "10.0.0.2", "2001:db8::2").behind("web"));
        assertThat(text(decide(view, "10.1.0.1:80"))).startsWith("tunnel 10.0.0.2:15008");
        assertThat(text(decide(view, "[2001:db8:1::1]:80")))
                .isEqualTo("tunnel [2001:db8::2]:15008 [2001:db8::2]:8080 [default]");
        assertThat(text(decide(view, "[2001:db8::2]:80"))).startsWith("tunnel [2001:db8::2]:15008 [2001:db8::2]:80");
    }

    @ParameterizedTest
    @CsvSource({
        "IPV4_ONLY, 10.1.0.1, 10.0.0.2",
        "IPV4_ONLY, [2001:db8:1::1], 10.0.0.2",
        "IPV6_ONLY, 10.1.0.1, [2001:db8::2]",
        "IPV6_ONLY, [2001:db8:1::1], [2001:db8::2]",
        "DUAL, 10.1.0.1, 10.0.0.2",
        "DUAL, [2001:db8:1::1], [2001:db8::2]"
    })
    void case16_givenFamilies_thenTheyLimitTheAddress(Service.IpFamilies families, String vip, String wanted) {
        var view = view(
                service("web", "10.1.0.1", "2001:db8:1::1").families(families),
                pod("p", "10.0.0.2", "2001:db8::2").behind("web"));
        assertThat(text(decide(view, vip + ":80"))).startsWith("tunnel " + wanted + ":15008");
    }

    @Test
    void case16_givenAnEndpointWithoutThePermittedFamily_thenItIsNotPicked() {
        var view = view(
                service("web", "10.1.0.1").families(Service.IpFamilies.IPV6_ONLY),
                pod("p", "10.0.0.2").behind("web"));
        assertThat(text(decide(view, "10.1.0.1:80"))).isEqualTo("refuse NO_HEALTHY_ENDPOINT");
    }

    @Test
    void case17_givenPassthrough_thenAsIs_butThroughAWaypointIfThereIsOne() {
        var plain = service("web", "10.1.0.1").balancing(Mode.PASSTHROUGH);
        assertThat(text(decide(view(plain, pod("p", "10.0.0.2").behind("web")), "10.1.0.1:80")))
                .isEqualTo("as is 10.1.0.1:80");
        var guarded = service("web", "10.1.0.1").balancing(Mode.PASSTHROUGH).waypoint(gateway("10.0.0.50:15008"));
        assertThat(text(decide(view(guarded, WAYPOINT), "10.1.0.1:80")))
                .isEqualTo("tunnel 10.0.0.50:15008 10.1.0.1:80 [wp]");
    }

    @ParameterizedTest
    @CsvSource({"100, 0, 10.0.0.51", "0, 100, 10.0.0.52", "0, 0, 10.0.0.50"})
    void case33_givenWeightedWaypoints_thenByWeight(int one, int other, String wanted) {
        var view = view(
                WAYPOINT,
                pod("wp1", "10.0.0.51"),
                pod("wp2", "10.0.0.52"),
                service("web", "10.1.0.1")
                        .waypoint(gateway("10.0.0.50:15008"))
                        .weighted(gateway("10.0.0.51:15008"), one, gateway("10.0.0.52:15008"), other));
        assertThat(text(decide(view, "10.1.0.1:80"))).startsWith("tunnel " + wanted + ":15008 10.1.0.1:80");
    }

    @Test
    void case33_givenThreeToOne_thenSharesWithinFivePercent() {
        var web = service("web")
                .weighted(gateway("10.0.0.51:15008"), 75, gateway("10.0.0.52:15008"), 25)
                .build();
        var random = new Random(7);
        var first = 0;
        for (int i = 0; i < 10_000; i++) {
            first += Gateways.waypoint(web, random).orElseThrow().equals(gateway("10.0.0.51:15008")) ? 1 : 0;
        }
        assertThat(first).isBetween(7_000, 8_000);
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:15001, refuse RECURSIVE_CALL",
        "[::1]:15008, refuse RECURSIVE_CALL",
        "127.0.0.1:80, as is 127.0.0.1:80",
        "1.2.3.4:15001, as is 1.2.3.4:15001"
    })
    void givenLoopbackOnAPortOfTheProxy_thenRefuse(String target, String wanted) {
        assertThat(text(decide(view(), target))).isEqualTo(wanted);
    }

    @Test
    void givenAWorkloadWithoutAddress_thenItsNameIsAwaitedAndUsed() {
        var view = view(
                service("web", "10.1.0.1").ports("80:443"),
                pod("external").plain().hostname("api.example.com").behind("web"));
        var decision = decide(view, "10.1.0.1:80");
        assertThat(text(decision)).isEqualTo("await api.example.com V4");
        assertThat(text(((AwaitName) decision).at(ip("203.0.113.5")))).isEqualTo("plain 203.0.113.5:443");
    }

    @Test
    void givenTheClientsNetwork_thenOthersAddressesMeanNothing() {
        var view = view(
                pod("p", "10.0.0.2").network("n2"), service("web", "10.1.0.1").network("n2"));
        assertThat(text(decide(view, "10.0.0.2:80"))).isEqualTo("as is 10.0.0.2:80");
        assertThat(text(decide(view, "10.1.0.1:80"))).isEqualTo("as is 10.1.0.1:80");
    }

    @Test
    void givenAnEndpointThatFailed_thenAnotherIsTriedUntilNoneIsLeft() {
        var view = view(
                service("web", "10.1.0.1"),
                pod("a", "10.0.0.2").behind("web"),
                pod("b", "10.0.0.3").behind("web"));
        var request = new OutboundRequest(CLIENT.build(), ip("10.0.0.1"), ipPort("10.1.0.1:80"));
        for (int seed = 0; seed < 20; seed++) {
            var random = new Random(seed);
            var first = (Tunnel) ROUTER.decide(view, request, random);
            var failed = first.destination().workload().orElseThrow().uid();
            var second = (Tunnel) ROUTER.decide(view, request.without(failed), random);
            assertThat(second.hop()).isNotEqualTo(first.hop());
            var other = second.destination().workload().orElseThrow().uid();
            assertThat(text(ROUTER.decide(view, request.without(failed).without(other), random)))
                    .isEqualTo("refuse NO_HEALTHY_ENDPOINT");
        }
    }

    @Test
    void givenGatewayThatFailed_thenAnotherOfItsNetworkIsUsed_thenAnotherNetwork_thenNone() {
        var view = view(
                service("web", "10.1.0.1").names("spiffe://cluster.local/ns/ns1/sa/web"),
                pod("one").network("n2").behind("web").networkGateway(gateway("n2", "10.22.1.1:15008")),
                pod("two").network("n2").behind("web").networkGateway(gateway("n2", "10.22.1.2:15008")),
                pod("three").network("n3").behind("web").networkGateway(gateway("n3", "10.22.1.3:15008")),
                pod("four").network("n4").behind("web"),
                pod("gw1", "10.22.1.1").network("n2").account("gw"),
                pod("gw2", "10.22.1.2").network("n2").account("gw"),
                pod("gw3", "10.22.1.3").network("n3").account("gw"));
        for (int seed = 0; seed < 20; seed++) {
            var random = new Random(seed);
            var request = new OutboundRequest(CLIENT.build(), ip("10.0.0.1"), ipPort("10.1.0.1:80"));
            var hops = new HashSet<IpPort>();
            for (int i = 0; i < 3; i++) {
                var gateway = ((NestedTunnel) ROUTER.decide(view, request, random)).gateway();
                hops.add(gateway.hop());
                request = request.without(
                        gateway.destination().workload().orElseThrow().uid());
            }
            assertThat(hops).hasSize(3);
            assertThat(ROUTER.decide(view, request, random)).isInstanceOf(Refuse.class);
        }
    }

    /// What is nearest comes first, also when the way to something farther is tried in vain.
    @Test
    void case19_givenNearEndpointThatFailed_thenTheOtherNetwork_andItsGatewayInVain_thenNone() {
        var view = view(
                service("web", "10.1.0.1")
                        .names("spiffe://cluster.local/ns/ns1/sa/web")
                        .balancing(Mode.FAILOVER, Scope.NETWORK),
                pod("near", "10.0.0.2").behind("web"),
                pod("far").network("n2").behind("web").networkGateway(gateway("n2", "10.22.1.1:15008")),
                pod("gw", "10.22.1.1").network("n2").account("gw"));
        var request = new OutboundRequest(CLIENT.build(), ip("10.0.0.1"), ipPort("10.1.0.1:80"));
        var near = (Tunnel) ROUTER.decide(view, request, new Random(1));
        assertThat(near.hop()).hasToString("10.0.0.2:15008");
        request = request.without(near.destination().workload().orElseThrow().uid());
        var far = (NestedTunnel) ROUTER.decide(view, request, new Random(1));
        request = request.without(
                far.gateway().destination().workload().orElseThrow().uid());
        assertThat(text(ROUTER.decide(view, request, new Random(1))))
                .isEqualTo("refuse NETWORK_GATEWAY_WITHOUT_ENDPOINT");
    }

    @Test
    void givenNamesOfTheServiceAndTheWorkload_thenBothMayAnswer() {
        var view = view(
                service("web", "10.1.0.1").names("spiffe://cluster.local/ns/ns1/sa/extra", "not-spiffe"),
                pod("p", "10.0.0.2").account("own").behind("web"));
        assertThat(text(decide(view, "10.1.0.1:80"))).isEqualTo("tunnel 10.0.0.2:15008 10.0.0.2:8080 [extra,own]");
    }

    @ParameterizedTest
    @CsvSource({
        "web.example, tunnel 10.0.0.2:15008 10.0.0.2:8080 [default]",
        "10.0.0.2, tunnel 10.0.0.2:15008 10.0.0.2:80 [default]",
        "api.example.com, await api.example.com V4",
        "headless.example, await headless.example V4",
        "hidden.example, await hidden.example V4"
    })
    void givenAHostname_thenAnAddressOfItsServiceOrTheNameIsAwaited(String hostname, String wanted) {
        var view = view(
                service("web", "2001:db8:1::1", "10.1.0.1"),
                service("headless"),
                service("hidden", "10.1.0.9").namespace("ns2").hidden(),
                pod("p", "10.0.0.2", "2001:db8::2").behind("web"));
        var request = new HostRequest(CLIENT.build(), ip("10.0.0.1"), hostname, 80);
        var decision = ROUTER.decide(view, request, new Random(1));
        assertThat(text(decision)).isEqualTo(wanted);
        if (decision instanceof AwaitName name) {
            assertThat(text(name.at(ip("10.0.0.2")))).startsWith("tunnel 10.0.0.2:15008 10.0.0.2:80");
        }
    }

    @Test
    void givenAnIpv4MappedTarget_thenItIsTheIpv4Address() {
        var view = view(pod("p", "10.0.0.2"));
        assertThat(text(decide(view, "[::ffff:10.0.0.2]:80"))).isEqualTo("tunnel 10.0.0.2:15008 10.0.0.2:80 [default]");
    }
}
