// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fathom.model.fleet.Audience;
import io.fathom.model.fleet.Blob;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.GatewayAddress;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.OriginDigest;
import io.fathom.model.fleet.OriginMark;
import io.fathom.model.fleet.PeerReach;
import io.fathom.model.fleet.ServiceFact;
import io.fathom.model.fleet.ServiceView;
import io.fathom.model.peering.Reachability;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.proto.fleet.Down;
import io.fathom.wire.proto.fleet.Up;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FleetCodecTest {
    private static final ServiceFact CART = new ServiceFact(
            "shop", "cart", Blob.copyOf(new byte[] {1, 2}), Blob.copyOf(new byte[] {3}), 1_800_000_000L);
    private static final GatewayFact FACT = new GatewayFact(
            "istio-eastwest/gw",
            "net-1",
            "account",
            "cluster.local",
            List.of(
                    new GatewayAddress(GatewayAddress.Kind.STATIC, "10.0.0.1", 15008, 15012),
                    new GatewayAddress(GatewayAddress.Kind.LB_HOST, "lb.example.com", 30008, 0)),
            new GatewayFact.Place("eu-1", "a"),
            GatewayFact.GatewayState.DRAINING,
            new Audience.Named(Set.of("east", "label:env=prod")),
            List.of(TrustRoot.of(new byte[] {1, 2}), TrustRoot.of(new byte[] {3})),
            Set.of("0a".repeat(32), "f0".repeat(32)));
    private static final PeerReach REACH = new PeerReach(
            new PeerReach.ReachedAddress(7, "10.0.0.1:15008"),
            Reachability.SUSPECT,
            Instant.ofEpochSecond(1_800_000_000L),
            Duration.ofNanos(1_234_000),
            "spiffe://cluster.local/ns/istio-eastwest/sa/account",
            "gateway-is-another-cluster",
            "it is that of south");
    private static final FleetPeer PEER = new FleetPeer(7, "west", "uid", FACT);

    @Test
    void whenWrittenAndRead_thenItIsTheSame() {
        assertThat(FleetCodec.fact(FleetCodec.encode(FACT))).isEqualTo(FACT);
        assertThat(FleetCodec.peer(FleetCodec.encode(PEER))).isEqualTo(PEER);
        List<FleetUp> ups = List.of(
                new FleetUp.Hello(
                        "instance",
                        "software",
                        "uid",
                        List.of(new OriginMark(3, new FactVersion(4, 5))),
                        -7,
                        new Interest(new Interest.InterestScope.Listed(Set.of("shop/cart")), 3)),
                new FleetUp.Services(
                        List.of(CART, CART.spread(Blob.EMPTY)),
                        List.of("shop/old"),
                        FleetUp.ServicePart.SNAPSHOT,
                        new FactVersion(1, 9)),
                new FleetUp.Weights(
                        List.of(new FleetUp.ServiceWeight(CART.hashCode(), CART.spread())), new FactVersion(1, 10)),
                new FleetUp.ExportsEnd(new FactVersion(1, 11)),
                new FleetUp.Interested(Interest.ALL),
                new FleetUp.Digest(new OriginDigest(0, 2, -1)),
                new FleetUp.Repair(List.of(7)),
                new FleetUp.Reach(
                        List.of(REACH),
                        List.of(new PeerReach.ReachedAddress(8, "10.0.0.2:15008")),
                        FleetUp.ReachPart.FIRST,
                        Optional.of(Duration.ofSeconds(5))),
                new FleetUp.Reach(List.of(), List.of(), FleetUp.ReachPart.DELTA, Optional.empty()),
                new FleetUp.Gateways(List.of(FACT), new FactVersion(3, 4)),
                new FleetUp.Gateways(List.of(), FactVersion.NONE));
        assertThat(ups)
                .allSatisfy(up ->
                        assertThat(FleetCodec.decode(FleetCodec.encode(up))).contains(up));
        List<FleetDown> downs = List.of(
                new FleetDown.Welcome("fleet", new FactVersion(3, 4), new OriginDigest(1, 2, 3), new FactVersion(3, 2)),
                new FleetDown.Peers(List.of(PEER), List.of("gone")),
                new FleetDown.Complete(List.of(new OriginMark(3, new FactVersion(4, 5))), 9),
                new FleetDown.Views(List.of(
                        new ServiceView(
                                "shop",
                                "cart",
                                List.of(
                                        new ServiceView.OriginShare(1, CART.body(), CART.spread()),
                                        new ServiceView.OriginShare(2, CART.body(), Blob.EMPTY)),
                                4),
                        new ServiceView("shop", "old", List.of(), 0))),
                new FleetDown.Weights(List.of(new FleetDown.ViewWeight(-5, 2, CART.spread()))),
                new FleetDown.RepairBegin(3),
                new FleetDown.RepairEnd(3),
                new FleetDown.ResendExports(),
                new FleetDown.Unsettled(Set.of(1, 2)),
                new FleetDown.Settled(Set.of(2)),
                new FleetDown.SlowDown("reason"),
                new FleetDown.Digests(List.of(new OriginDigest(1, 2, 3))),
                new FleetDown.PortConflict("shop/cart", "east", List.of("west")),
                new FleetDown.Receipt(new FactVersion(3, 4), List.of(new FleetDown.Rejection("id", "code", "reason"))),
                new FleetDown.Revoked("because"));
        assertThat(downs)
                .allSatisfy(down ->
                        assertThat(FleetCodec.decode(FleetCodec.encode(down))).contains(down));
    }

    @Test
    void givenAMessageOfALaterVersion_thenItIsNothing() {
        assertThat(FleetCodec.decode(Up.getDefaultInstance())).isEmpty();
        assertThat(FleetCodec.decode(Down.getDefaultInstance())).isEmpty();
    }

    @Test
    void givenOtherBytes_thenThatIsAProblem() {
        assertThatThrownBy(() -> FleetCodec.fact(new byte[] {1, 2, 3})).hasMessageContaining("cannot be read");
    }

    @Test
    void givenTextOfAnAddress_thenHostAndPortAreTold() {
        assertThat(ServerAddress.parse("fleet.example.com")).contains(new ServerAddress("fleet.example.com", 9900));
        assertThat(ServerAddress.parse("10.0.0.1:1")).contains(new ServerAddress("10.0.0.1", 1));
        assertThat(ServerAddress.parse("[fd00::1]:2")).contains(new ServerAddress("fd00::1", 2));
        assertThat(ServerAddress.parse("host:0").or(() -> ServerAddress.parse(":1")))
                .isEqualTo(Optional.empty());
    }
}
