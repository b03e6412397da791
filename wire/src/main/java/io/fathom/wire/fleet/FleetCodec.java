// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.fleet.Audience;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.GatewayAddress;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.wire.proto.fleet.Candidate;
import io.fathom.wire.proto.fleet.Directive;
import io.fathom.wire.proto.fleet.Down;
import io.fathom.wire.proto.fleet.GatewayDelta;
import io.fathom.wire.proto.fleet.Hello;
import io.fathom.wire.proto.fleet.PeerDelta;
import io.fathom.wire.proto.fleet.PeerGateway;
import io.fathom.wire.proto.fleet.SnapshotEnd;
import io.fathom.wire.proto.fleet.Up;
import io.fathom.wire.proto.fleet.UpAck;
import io.fathom.wire.proto.fleet.Version;
import io.fathom.wire.proto.fleet.Welcome;
import java.util.List;
import java.util.Optional;

/// What is said on a stream, to bytes and back. Also for files: a fact or peer is kept in the form it travels in.
public final class FleetCodec {
    private FleetCodec() {}

    public static byte[] encode(GatewayFact fact) {
        return message(fact).toByteArray();
    }

    /// Reads what [#encode] wrote.
    ///
    /// @throws ProblemException when it is something else
    public static GatewayFact fact(byte[] bytes) {
        try {
            return fact(io.fathom.wire.proto.fleet.GatewayFact.parseFrom(bytes));
        } catch (InvalidProtocolBufferException e) {
            throw unreadable(e);
        }
    }

    public static byte[] encode(FleetPeer peer) {
        return message(peer).toByteArray();
    }

    /// Reads what [#encode] wrote.
    ///
    /// @throws ProblemException when it is something else
    public static FleetPeer peer(byte[] bytes) {
        try {
            return peer(PeerGateway.parseFrom(bytes));
        } catch (InvalidProtocolBufferException e) {
            throw unreadable(e);
        }
    }

    static ProblemException unreadable(Exception e) {
        return new ProblemException(Problem.ofInput(
                "fleet-message-unreadable",
                "a message of the fleet cannot be read: " + e.getMessage(),
                "check that the other side is a program of Fathom"));
    }

    static Up encode(FleetUp up) {
        return switch (up) {
            case FleetUp.Hello hello ->
                Up.newBuilder()
                        .setHello(Hello.newBuilder()
                                .setInstanceId(hello.instance())
                                .setSoftware(hello.software())
                                .setClusterUid(hello.clusterUid()))
                        .build();
            case FleetUp.Gateways gateways -> {
                var delta = GatewayDelta.newBuilder().setVersion(version(gateways.version()));
                gateways.facts().forEach(fact -> delta.addUpsert(message(fact)));
                yield Up.newBuilder().setGateways(delta).build();
            }
        };
    }

    /// Nothing for kinds of messages that we do not know.
    static Optional<FleetUp> decode(Up up) {
        return switch (up.getMessageCase()) {
            case HELLO ->
                Optional.of(new FleetUp.Hello(
                        up.getHello().getInstanceId(),
                        up.getHello().getSoftware(),
                        up.getHello().getClusterUid()));
            case GATEWAYS ->
                Optional.of(new FleetUp.Gateways(
                        up.getGateways().getUpsertList().stream()
                                .map(FleetCodec::fact)
                                .toList(),
                        version(up.getGateways().getVersion())));
            case MESSAGE_NOT_SET -> Optional.empty();
        };
    }

    static Down encode(FleetDown down) {
        var message = Down.newBuilder();
        return switch (down) {
            case FleetDown.Welcome(var server, var last) ->
                message.setWelcome(Welcome.newBuilder().setReplicaId(server).setUpResume(version(last)))
                        .build();
            case FleetDown.Peers(var changed, var removed) -> {
                var delta = PeerDelta.newBuilder().addAllRemovedUids(removed);
                changed.forEach(peer -> delta.addUpsert(message(peer)));
                yield message.setPeers(delta).build();
            }
            case FleetDown.Complete() ->
                message.setSnapshotEnd(SnapshotEnd.getDefaultInstance()).build();
            case FleetDown.Receipt(var version, var rejected) -> {
                var receipt = UpAck.newBuilder().setVersion(version(version));
                rejected.forEach(one -> receipt.addRejected(UpAck.Rejected.newBuilder()
                        .setId(one.id())
                        .setCode(one.code())
                        .setReason(one.reason())));
                yield message.setUpAck(receipt).build();
            }
            case FleetDown.Revoked(var reason) ->
                message.setDirective(Directive.newBuilder()
                                .setKind(Directive.Kind.REVOKED)
                                .addArgs(reason))
                        .build();
        };
    }

    /// Nothing for kinds of messages that we do not know.
    static Optional<FleetDown> decode(Down down) {
        return switch (down.getMessageCase()) {
            case WELCOME ->
                Optional.of(new FleetDown.Welcome(
                        down.getWelcome().getReplicaId(),
                        version(down.getWelcome().getUpResume())));
            case PEERS ->
                Optional.of(new FleetDown.Peers(
                        down.getPeers().getUpsertList().stream()
                                .map(FleetCodec::peer)
                                .toList(),
                        down.getPeers().getRemovedUidsList()));
            case SNAPSHOT_END -> Optional.of(new FleetDown.Complete());
            case UP_ACK ->
                Optional.of(new FleetDown.Receipt(
                        version(down.getUpAck().getVersion()),
                        down.getUpAck().getRejectedList().stream()
                                .map(one -> new FleetDown.Rejection(one.getId(), one.getCode(), one.getReason()))
                                .toList()));
            case DIRECTIVE ->
                down.getDirective().getKind() == Directive.Kind.REVOKED
                        ? Optional.of(new FleetDown.Revoked(
                                String.join(" ", down.getDirective().getArgsList())))
                        : Optional.empty();
            case MESSAGE_NOT_SET -> Optional.empty();
        };
    }

    private static Version version(FactVersion version) {
        return Version.newBuilder()
                .setIncarnation(version.incarnation())
                .setSeq(version.sequence())
                .build();
    }

    private static FactVersion version(Version version) {
        return new FactVersion(version.getIncarnation(), version.getSeq());
    }

    private static PeerGateway message(FleetPeer peer) {
        return PeerGateway.newBuilder()
                .setHandle(peer.handle())
                .setCluster(peer.cluster())
                .setClusterUid(peer.uid())
                .setFact(message(peer.fact()))
                .build();
    }

    private static FleetPeer peer(PeerGateway peer) {
        return new FleetPeer(peer.getHandle(), peer.getCluster(), peer.getClusterUid(), fact(peer.getFact()));
    }

    private static io.fathom.wire.proto.fleet.GatewayFact message(GatewayFact fact) {
        var message = io.fathom.wire.proto.fleet.GatewayFact.newBuilder()
                .setId(fact.id())
                .setNetwork(fact.network())
                .setNamespace(fact.namespace())
                .setServiceAccount(fact.serviceAccount())
                .setTrustDomain(fact.trustDomain())
                .setRegion(fact.place().region())
                .setZone(fact.place().zone())
                .setState(
                        switch (fact.state()) {
                            case ACTIVE -> io.fathom.wire.proto.fleet.GatewayFact.State.ACTIVE;
                            case DRAINING -> io.fathom.wire.proto.fleet.GatewayFact.State.DRAINING;
                            case OFFLINE -> io.fathom.wire.proto.fleet.GatewayFact.State.OFFLINE;
                        })
                .addAllDistributeTo(fact.audience().words());
        for (var candidate : fact.candidates()) {
            message.addCandidates(Candidate.newBuilder()
                    .setKind(Candidate.Kind.valueOf(candidate.kind().name()))
                    .setHost(candidate.host())
                    .setHbonePort(candidate.hbonePort())
                    .setXdsPort(candidate.xdsPort()));
        }
        return message.build();
    }

    /// A state that we do not know is taken for the careful one: not in use, and not gone.
    private static GatewayFact fact(io.fathom.wire.proto.fleet.GatewayFact fact) {
        var state = switch (fact.getState()) {
            case ACTIVE -> GatewayFact.GatewayState.ACTIVE;
            case DRAINING -> GatewayFact.GatewayState.DRAINING;
            case OFFLINE, UNRECOGNIZED -> GatewayFact.GatewayState.OFFLINE;
        };
        return new GatewayFact(
                fact.getId(),
                fact.getNetwork(),
                fact.getServiceAccount(),
                fact.getTrustDomain(),
                candidates(fact.getCandidatesList()),
                new GatewayFact.Place(fact.getRegion(), fact.getZone()),
                state,
                Audience.of(fact.getDistributeToList()));
    }

    private static List<GatewayAddress> candidates(List<Candidate> candidates) {
        return candidates.stream()
                .filter(candidate -> candidate.getKind() != Candidate.Kind.UNRECOGNIZED)
                .map(candidate -> new GatewayAddress(
                        GatewayAddress.Kind.valueOf(candidate.getKind().name()),
                        candidate.getHost(),
                        candidate.getHbonePort(),
                        candidate.getXdsPort()))
                .toList();
    }
}
