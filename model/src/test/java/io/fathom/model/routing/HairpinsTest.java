// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import static io.fathom.model.policy.Policies.group;
import static io.fathom.model.policy.Policies.match;
import static io.fathom.model.policy.Policies.rules;
import static io.fathom.model.routing.Fixtures.gateway;
import static io.fathom.model.routing.Fixtures.ipPort;
import static io.fathom.model.routing.Fixtures.named;
import static io.fathom.model.routing.Fixtures.pod;
import static io.fathom.model.routing.Fixtures.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.Workload.ApplicationTunnel.Protocol;
import io.fathom.model.policy.Authorization;
import io.fathom.model.policy.Policies;
import io.fathom.model.policy.Policies.MatchDraft;
import io.fathom.model.policy.RequiredWaypoints;
import io.fathom.model.routing.InboundDecision.Deny;
import io.fathom.model.routing.InboundDecision.Forward;
import io.fathom.model.routing.InboundDecision.Hairpin;
import io.fathom.model.routing.InboundDecision.Reject;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Plain connections to pods that want them to go through their waypoint.
final class HairpinsTest {
    private static final RandomGenerator RANDOM = new Random(1);
    private static final InboundRouter ROUTER = new InboundRouter(InboundConfig.DEFAULT, new Balancer(Load.UNKNOWN));
    private static final String OUTSIDER = "192.0.2.7:4000";

    private static MeshStore store() {
        var store = new MeshStore(Optional.empty());
        store.apply(MeshDelta.ofAddresses(
                List.of(
                        pod("wp", "10.0.0.50", "2001:db8::50")
                                .account("wp")
                                .behind("wp", "15008:15008")
                                .build(),
                        service("wp", "10.1.0.50").ports("15008:15008").build(),
                        pod("sick", "10.0.0.51")
                                .unhealthy()
                                .behind("sick", "15008:15008")
                                .build(),
                        service("sick", "10.1.0.51").ports("15008:15008").build(),
                        pod("far", "10.0.0.52")
                                .network("n2")
                                .behind("far", "15008:15008")
                                .build(),
                        service("far", "10.1.0.52").ports("15008:15008").build(),
                        pod("sandwiched", "10.0.0.53")
                                .tunnel(Protocol.PROXY, 15088)
                                .build(),
                        pod("v4", "10.0.0.54").build(),
                        pod("client", "10.0.0.1").account("client").build()),
                List.of()));
        return store;
    }

    private static Workload asking(String waypoint) {
        var address = waypoint.contains(":") ? gateway(waypoint) : named(waypoint, 15008);
        return pod("p", "10.0.0.2", "2001:db8::2")
                .account("p")
                .waypoint(address)
                .hairpin()
                .build();
    }

    private static InboundDecision captured(MeshView view, Workload local, String at, String peer) {
        return ROUTER.decide(view, new InboundRequest.Captured(Optional.of(local), ipPort(at), ipPort(peer)), RANDOM);
    }

    private static String text(InboundDecision decision) {
        return switch (decision) {
            case Forward forward -> "to " + forward.hop();
            case Hairpin hairpin -> "through " + hairpin.hop() + " for " + hairpin.destination();
            case Reject reject -> reject.reason() + ": " + reject.message();
            case Deny deny -> deny.authorization().message();
        };
    }

    static Stream<Arguments> cases() {
        var way = asking("wp.example");
        return Stream.of(
                argumentSet(
                        "given an outsider, then through the waypoint",
                        way,
                        "10.0.0.2:80",
                        OUTSIDER,
                        "through 10.0.0.50:15008 for 10.0.0.2:80"),
                argumentSet(
                        "given a pod of the mesh that goes in plain text, then through the waypoint",
                        way,
                        "10.0.0.2:80",
                        "10.0.0.1:4000",
                        "through 10.0.0.50:15008 for 10.0.0.2:80"),
                argumentSet(
                        "given IPv6, then the waypoint's address of that family",
                        way,
                        "[2001:db8::2]:80",
                        "[2001:db8::9]:4000",
                        "through [2001:db8::50]:15008 for [2001:db8::2]:80"),
                argumentSet(
                        "given a waypoint by its address, then through it",
                        asking("10.0.0.54:15008"),
                        "10.0.0.2:80",
                        OUTSIDER,
                        "through 10.0.0.54:15008 for 10.0.0.2:80"),
                argumentSet(
                        "given a pod of the waypoint itself, then to the application",
                        way,
                        "10.0.0.2:80",
                        "10.0.0.50:4000",
                        "to 10.0.0.2:80"),
                argumentSet(
                        "given no waypoint, then to the application",
                        pod("p", "10.0.0.2").hairpin().build(),
                        "10.0.0.2:80",
                        OUTSIDER,
                        "to 10.0.0.2:80"),
                argumentSet(
                        "given a pod that does not ask, then to the application",
                        pod("p", "10.0.0.2")
                                .waypoint(named("wp.example", 15008))
                                .build(),
                        "10.0.0.2:80",
                        OUTSIDER,
                        "to 10.0.0.2:80"),
                argumentSet(
                        "given a port of the proxy, then refused",
                        way,
                        "10.0.0.2:15008",
                        OUTSIDER,
                        "ILLEGAL_PORT: port 15008 is the proxy's own"),
                argumentSet(
                        "given an unknown waypoint, then refused",
                        asking("nobody.example"),
                        "10.0.0.2:80",
                        OUTSIDER,
                        "WAYPOINT_UNKNOWN: " + Refusal.WAYPOINT_UNKNOWN.message()),
                argumentSet(
                        "given no healthy endpoint, then refused",
                        asking("sick.example"),
                        "10.0.0.2:80",
                        OUTSIDER,
                        "WAYPOINT_UNUSABLE: " + Refusal.WAYPOINT_WITHOUT_ENDPOINT.message()),
                argumentSet(
                        "given a waypoint on another network, then refused",
                        asking("far.example"),
                        "10.0.0.2:80",
                        OUTSIDER,
                        "WAYPOINT_UNUSABLE: " + Refusal.WAYPOINT_ON_OTHER_NETWORK.message()),
                argumentSet(
                        "given a waypoint behind its node proxy, then refused",
                        asking("10.0.0.53:15008"),
                        "10.0.0.2:80",
                        OUTSIDER,
                        "WAYPOINT_UNUSABLE: the waypoint takes tunnels from its node proxy, which cannot tell it that "
                                + "a client has no identity"),
                argumentSet(
                        "given a waypoint of the other family only, then refused",
                        asking("10.0.0.54:15008"),
                        "[2001:db8::2]:80",
                        "[2001:db8::9]:4000",
                        "WAYPOINT_UNUSABLE: the waypoint has no address of the family of 2001:db8::2"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whenAPlainConnectionIsCaptured(Workload local, String at, String peer, String wanted) {
        assertThat(text(captured(store().view(), local, at, peer))).isEqualTo(wanted);
    }

    static Stream<Arguments> policies() {
        var through = "through 10.0.0.50:15008 for 10.0.0.2:80";
        var none = "allow policies exist, but none allowed: ns1/p";
        return Stream.of(
                argumentSet(
                        "given no identity is refused (STRICT)",
                        deny(match().notPrincipals("*")),
                        "explicitly denied by: ns1/p"),
                argumentSet(
                        "given the address is denied",
                        deny(match().sourceIps("192.0.2.0/24")),
                        "explicitly denied by: ns1/p"),
                argumentSet("given another address is denied", deny(match().sourceIps("10.0.0.50/32")), through),
                argumentSet(
                        "given all but the waypoint are denied",
                        deny(match().notPrincipals("cluster.local/ns/ns1/sa/wp")),
                        "explicitly denied by: ns1/p"),
                argumentSet(
                        "given calls must come through the waypoint, then they do",
                        requiring("cluster.local/ns/ns1/sa/wp"),
                        through),
                argumentSet(
                        "given calls must come through another waypoint",
                        requiring("cluster.local/ns/ns1/sa/other"),
                        "explicitly denied by: ns1/fathom_require_waypoint_ns1_wp: calls must come through waypoint "
                                + "ns1/wp"),
                argumentSet(
                        "given the waypoint is denied, then that is said when it comes",
                        deny(match().principals("cluster.local/ns/ns1/sa/wp")),
                        through),
                argumentSet(
                        "given the waypoint alone is allowed",
                        allow(match().principals("cluster.local/ns/ns1/sa/wp")),
                        through),
                argumentSet(
                        "given somebody else alone is allowed",
                        allow(match().principals("cluster.local/ns/ns1/sa/client")),
                        none),
                argumentSet(
                        "given the pod itself is allowed",
                        allow(match().principals("cluster.local/ns/ns1/sa/p")),
                        none),
                argumentSet("given the client's address is allowed", allow(match().sourceIps("192.0.2.0/24")), through),
                argumentSet("given only addresses of others are allowed", allow(match().sourceIps("10.0.0.0/8")), none),
                argumentSet("given another port is allowed", allow(match().ports(81)), none));
    }

    private static Authorization deny(MatchDraft match) {
        return Policies.deny("p", List.of(group(rules(match.build()))));
    }

    private static Authorization requiring(String principal) {
        var required = new RequiredWaypoints("ns1", List.of(new RequiredWaypoints.Waypoint("ns1", "wp")));
        return Policies.deny(
                required.name(),
                List.of(group(rules(match().notPrincipals(principal).build()))));
    }

    private static Authorization allow(MatchDraft match) {
        return Policies.allow("p", List.of(group(rules(match.build()))));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void whenAPolicySpeaksOfTheOutsider(Authorization policy, String wanted) {
        var store = store();
        store.apply(MeshDelta.ofPolicies(List.of(policy), List.of()));
        assertThat(text(captured(store.view(), asking("wp.example"), "10.0.0.2:80", OUTSIDER)))
                .isEqualTo(wanted);
    }

    @Test
    void thenItShowsThePodsIdentityAndAcceptsTheWaypointsOnly() {
        var hairpin = (Hairpin) captured(store().view(), asking("wp.example"), "10.0.0.2:80", OUTSIDER);
        assertThat(hairpin.identity()).isEqualTo(new Identity("cluster.local", "ns1", "p"));
        assertThat(hairpin.peers()).containsExactly(new Identity("cluster.local", "ns1", "wp"));
        assertThat(hairpin.waypoint().name()).isEqualTo("wp");
    }

    @Test
    void givenAnEndpointFailed_thenAnotherIsPreferred() {
        var store = store();
        store.apply(MeshDelta.ofAddresses(
                List.of(pod("wp2", "10.0.0.55")
                        .account("wp")
                        .behind("wp", "15008:15008")
                        .build()),
                List.of()));
        var request =
                new InboundRequest.Captured(Optional.of(asking("wp.example")), ipPort("10.0.0.2:80"), ipPort(OUTSIDER));
        var again = request.without("c1//Pod/ns1/wp");
        assertThat(again.tried()).isEqualTo(Set.of("c1//Pod/ns1/wp"));
        for (int i = 0; i < 20; i++) {
            assertThat(text(ROUTER.decide(store.view(), again, RANDOM)))
                    .isEqualTo("through 10.0.0.55:15008 for 10.0.0.2:80");
        }
    }

    private static InboundRequest.Hbone tunnelOf(String account) {
        return new InboundRequest.Hbone(
                Optional.of(asking("wp.example")),
                ipPort("10.0.0.2:15008"),
                ipPort("10.0.0.1:4000"),
                Identity.parse("spiffe://cluster.local/ns/ns1/sa/" + account),
                "CONNECT",
                "10.0.0.2:80",
                Optional.empty(),
                Optional.empty());
    }

    @Test
    void givenATunnel_thenItIsNeverSentBack() {
        assertThat(text(ROUTER.decide(store().view(), tunnelOf("client")))).isEqualTo("to 10.0.0.2:80");
    }

    @Test
    void givenCallsMustComeThroughTheWaypoint_thenOnlyItsTunnelsAreTaken() {
        var store = store();
        store.apply(MeshDelta.ofPolicies(List.of(requiring("cluster.local/ns/ns1/sa/wp")), List.of()));
        assertThat(text(ROUTER.decide(store.view(), tunnelOf("wp")))).isEqualTo("to 10.0.0.2:80");
        assertThat(text(ROUTER.decide(store.view(), tunnelOf("client"))))
                .isEqualTo("explicitly denied by: ns1/fathom_require_waypoint_ns1_wp: calls must come through waypoint "
                        + "ns1/wp");
        assertThat(text(captured(store.view(), asking("wp.example"), "10.0.0.2:80", "10.0.0.50:4000")))
                .as("an address proves nothing")
                .startsWith("explicitly denied by: ns1/fathom_require_waypoint");
    }
}
