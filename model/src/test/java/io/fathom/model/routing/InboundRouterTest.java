// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import static io.fathom.model.policy.Policies.deny;
import static io.fathom.model.policy.Policies.group;
import static io.fathom.model.policy.Policies.match;
import static io.fathom.model.policy.Policies.rules;
import static io.fathom.model.routing.Fixtures.gateway;
import static io.fathom.model.routing.Fixtures.ipPort;
import static io.fathom.model.routing.Fixtures.named;
import static io.fathom.model.routing.Fixtures.pod;
import static io.fathom.model.routing.Fixtures.service;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.Workload.ApplicationTunnel.Protocol;
import io.fathom.model.routing.InboundDecision.Deny;
import io.fathom.model.routing.InboundDecision.Forward;
import io.fathom.model.routing.InboundDecision.Hairpin;
import io.fathom.model.routing.InboundDecision.Reject;
import io.fathom.model.routing.InboundDecision.SourceAddress;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Cases 45 and 46 of the fact sheet, and the order of its sections 10 and 11.
final class InboundRouterTest {
    private static final Workload POD =
            pod("p", "10.0.0.2").behind("web", "81:8181").build();
    private static final Workload WAYPOINT = pod("wp", "10.0.0.50").behind("wp").build();
    private static final Workload SANDWICHED =
            pod("sw", "10.0.0.60").behind("wp").tunnel(Protocol.PROXY, 15088).build();
    private static final Optional<Identity> PEER = Identity.parse("spiffe://cluster.local/ns/ns1/sa/client");
    private static final RandomGenerator RANDOM = new Random(1);
    private static final InboundRouter ROUTER = new InboundRouter(InboundConfig.DEFAULT, new Balancer(Load.UNKNOWN));

    private static MeshStore store() {
        var store = new MeshStore(Optional.empty());
        store.apply(MeshDelta.ofAddresses(
                List.of(
                        POD,
                        WAYPOINT,
                        SANDWICHED,
                        pod("client", "10.0.0.1").build(),
                        pod("guarded", "10.0.0.3")
                                .waypoint(gateway("10.0.0.50:15008"))
                                .build(),
                        pod("named", "10.0.0.4")
                                .waypoint(named("wp.example", 15008))
                                .build(),
                        service("wp", "10.1.0.50").build(),
                        service("web", "10.1.0.1")
                                .ports("80:8080", "81:0", "82:0", "83:15008")
                                .build(),
                        service("byVip", "10.1.0.2")
                                .waypoint(gateway("10.1.0.50:15008"))
                                .build(),
                        service("weighted", "10.1.0.3")
                                .weighted(gateway("10.0.0.50:15008"), 1, gateway("10.0.0.99:15008"), 9)
                                .build(),
                        service("other", "10.1.0.4")
                                .waypoint(gateway("10.0.0.99:15008"))
                                .build(),
                        service("headless").build()),
                List.of()));
        return store;
    }

    private static InboundDecision connect(Workload local, String authority) {
        return connect(store().view(), Optional.of(local), "CONNECT", authority);
    }

    private static InboundDecision connect(MeshView view, Optional<Workload> local, String method, String authority) {
        var at = local.map(workload -> workload.addresses().getFirst() + ":15008")
                .orElse("10.0.0.9:15008");
        return ROUTER.decide(
                view,
                new InboundRequest.Hbone(
                        local,
                        ipPort(at),
                        ipPort("10.0.0.1:4000"),
                        PEER,
                        method,
                        authority,
                        Optional.empty(),
                        Optional.empty()));
    }

    private static String text(InboundDecision decision) {
        return switch (decision) {
            case Forward forward ->
                "to " + forward.hop() + " from " + forward.source()
                        + forward.proxyTarget().map(target -> " for " + target).orElse("");
            case Hairpin hairpin -> "through " + hairpin.hop();
            case Reject reject -> reject.reason().status() + " " + reject.reason();
            case Deny deny -> Deny.STATUS + " " + deny.authorization().message();
        };
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.2:80, to 10.0.0.2:80 from CLIENT",
        "web.example:80, to 10.0.0.2:8080 from CLIENT",
        "web.example:81, to 10.0.0.2:8181 from CLIENT",
        "web.example:82, 503 UNKNOWN_PORT",
        "web.example:99, 503 UNKNOWN_PORT",
        "nobody.example:80, 503 UNKNOWN_HOST",
        "10.0.0.3:80, 400 IP_MISMATCH",
        "10.1.0.1:80, 400 IP_MISMATCH",
        "10.0.0.2:15008, 503 ILLEGAL_PORT",
        "web.example:83, 503 ILLEGAL_PORT",
        "10.0.0.2, 400 BAD_AUTHORITY",
        "10.0.0.2:x, 400 BAD_AUTHORITY",
        "10.0.0.2:70000, 400 BAD_AUTHORITY",
        "'', 400 BAD_AUTHORITY",
        "'[::1', 400 BAD_AUTHORITY"
    })
    void case45_givenAPod(String authority, String wanted) {
        assertThat(text(connect(POD, authority))).isEqualTo(wanted);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.50:80, to 10.0.0.50:80 from CLIENT",
        "10.0.0.3:80, to 10.0.0.50:80 from CLIENT",
        "10.0.0.4:80, to 10.0.0.50:80 from CLIENT",
        "10.1.0.2:80, to 10.0.0.50:80 from CLIENT",
        "10.1.0.3:80, to 10.0.0.50:80 from CLIENT",
        "10.1.0.4:80, 400 IP_MISMATCH",
        "10.0.0.2:80, 400 IP_MISMATCH",
        "10.1.0.1:80, 400 IP_MISMATCH",
        "9.9.9.9:80, 400 IP_MISMATCH"
    })
    void case45_givenAWaypoint_thenOnlyWhatItIsTheWaypointOf(String authority, String wanted) {
        assertThat(text(connect(WAYPOINT, authority))).isEqualTo(wanted);
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.0.4:80, to 127.0.0.1:15088 from LOOPBACK for 10.1.0.4:80",
        "web.example:80, to 127.0.0.1:15088 from LOOPBACK for 10.1.0.1:80",
        "headless.example:80, 503 NO_TUNNEL_TARGET"
    })
    void case45_givenATunnelWithProxyHeader_thenItsPortAndTheAuthority(String authority, String wanted) {
        assertThat(text(connect(SANDWICHED, authority))).isEqualTo(wanted);
    }

    @Test
    void givenTheTunnelIsDialledAtThePod_thenTheClientsAddressIsKept() {
        var router = new InboundRouter(
                new InboundConfig(ProxyPorts.DEFAULT, InboundConfig.Sources.KEPT, InboundConfig.TunnelDial.POD_ADDRESS),
                new Balancer(Load.UNKNOWN));
        var decision = router.decide(
                store().view(),
                new InboundRequest.Hbone(
                        Optional.of(SANDWICHED),
                        ipPort("10.0.0.60:15008"),
                        ipPort("10.0.0.1:4000"),
                        PEER,
                        "CONNECT",
                        "10.1.0.4:80",
                        Optional.empty(),
                        Optional.empty()));
        assertThat(text(decision)).isEqualTo("to 10.0.0.60:15088 from CLIENT for 10.1.0.4:80");
    }

    @Test
    void givenWrongMethodOrUnknownPod_thenInTheOrderOfTheSheet() {
        var view = store().view();
        assertThat(text(connect(view, Optional.empty(), "GET", "x"))).isEqualTo("400 NOT_CONNECT");
        assertThat(text(connect(view, Optional.empty(), "CONNECT", "x"))).isEqualTo("400 BAD_AUTHORITY");
        assertThat(text(connect(view, Optional.empty(), "CONNECT", "10.0.0.2:80")))
                .isEqualTo("503 UNKNOWN_WORKLOAD");
    }

    @Test
    void case46_givenMismatchOrDenial_thenTheTextSaysWhy() {
        assertThat(((Reject) connect(POD, "10.0.0.3:80")).message()).isEqualTo("ip mismatch: 10.0.0.2 != 10.0.0.3");
        var store = store();
        store.apply(MeshDelta.ofPolicies(
                List.of(deny("no", List.of(group(rules(match().ports(8080).build()))))), List.of()));
        assertThat(text(connect(store.view(), Optional.of(POD), "CONNECT", "web.example:80")))
                .isEqualTo("401 explicitly denied by: ns1/no");
        assertThat(text(connect(store.view(), Optional.of(POD), "CONNECT", "10.0.0.2:80")))
                .isEqualTo("to 10.0.0.2:80 from CLIENT");
        // all other checks come first
        assertThat(text(connect(store.view(), Optional.of(POD), "CONNECT", "10.0.0.3:8080")))
                .isEqualTo("400 IP_MISMATCH");
    }

    @Test
    void givenCapturedTraffic_thenPoliciesSeeNoIdentity() {
        var store = store();
        var at = ipPort("10.0.0.2:8080");
        var captured = new InboundRequest.Captured(Optional.of(POD), at, ipPort("10.0.0.1:4000"));
        assertThat(text(ROUTER.decide(store.view(), captured, RANDOM))).isEqualTo("to 10.0.0.2:8080 from CLIENT");
        store.apply(MeshDelta.ofPolicies(
                List.of(deny(
                        "tls", List.of(group(rules(match().notPrincipals("*").build()))))),
                List.of()));
        assertThat(text(ROUTER.decide(store.view(), captured, RANDOM))).isEqualTo("401 explicitly denied by: ns1/tls");
        assertThat(text(connect(store.view(), Optional.of(POD), "CONNECT", "10.0.0.2:8080")))
                .startsWith("to ");
    }

    @Test
    void givenCapturedTraffic_thenIllegalPortsAndUnknownPodsAreRejected() {
        var view = store().view();
        var peer = ipPort("10.0.0.1:4000");
        assertThat(text(ROUTER.decide(
                        view, new InboundRequest.Captured(Optional.empty(), ipPort("10.0.0.2:15006"), peer), RANDOM)))
                .endsWith("ILLEGAL_PORT");
        assertThat(text(ROUTER.decide(
                        view, new InboundRequest.Captured(Optional.empty(), ipPort("10.0.0.2:80"), peer), RANDOM)))
                .endsWith("UNKNOWN_WORKLOAD");
    }

    @Test
    void givenTheClientIsThePodItself_thenItsAddressIsNotSpoofed() {
        var self = new InboundRequest.Captured(Optional.of(POD), ipPort("10.0.0.2:80"), ipPort("10.0.0.2:4000"));
        assertThat(((Forward) ROUTER.decide(store().view(), self, RANDOM)).source())
                .isEqualTo(SourceAddress.POD);
    }

    @Test
    void givenHints_thenServiceAndClientAreGuessed() {
        var view = store().view();
        var near = (Forward) connect(view, Optional.of(POD), "CONNECT", "10.0.0.2:8080");
        assertThat(near.service().orElseThrow().name()).isEqualTo("web");
        assertThat(near.client().orElseThrow().name()).isEqualTo("client");
        var far = (Forward) ROUTER.decide(
                view,
                new InboundRequest.Hbone(
                        Optional.of(POD),
                        ipPort("10.0.0.2:15008"),
                        ipPort("10.0.0.1:4000"),
                        PEER,
                        "CONNECT",
                        "10.0.0.2:1",
                        Optional.of("web.example"),
                        Optional.of("n2")));
        assertThat(far.service().orElseThrow().name()).isEqualTo("web");
        assertThat(far.client()).isEmpty();
    }
}
