// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import com.google.protobuf.ByteString;
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
import io.fathom.model.fleet.OriginCopy;
import io.fathom.model.fleet.OriginDigest;
import io.fathom.model.fleet.OriginMark;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.proto.fleet.Candidate;
import io.fathom.wire.proto.fleet.Conflict;
import io.fathom.wire.proto.fleet.Copied;
import io.fathom.wire.proto.fleet.DigestList;
import io.fathom.wire.proto.fleet.Directive;
import io.fathom.wire.proto.fleet.Down;
import io.fathom.wire.proto.fleet.GatewayDelta;
import io.fathom.wire.proto.fleet.Hello;
import io.fathom.wire.proto.fleet.PeerDelta;
import io.fathom.wire.proto.fleet.PeerGateway;
import io.fathom.wire.proto.fleet.Repair;
import io.fathom.wire.proto.fleet.SnapshotEnd;
import io.fathom.wire.proto.fleet.Up;
import io.fathom.wire.proto.fleet.UpAck;
import io.fathom.wire.proto.fleet.Version;
import io.fathom.wire.proto.fleet.Welcome;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

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

    public static byte[] bytes(FleetUp message) {
        return encode(message).toByteArray();
    }

    /// Reads what [#bytes] wrote.
    ///
    /// @throws ProblemException when it is something else
    public static FleetUp up(byte[] bytes) {
        try {
            return decode(Up.parseFrom(bytes))
                    .orElseThrow(() -> unreadable(new IllegalArgumentException("it says nothing")));
        } catch (InvalidProtocolBufferException e) {
            throw unreadable(e);
        }
    }

    public static byte[] bytes(FleetDown message) {
        return encode(message).toByteArray();
    }

    /// Reads what [#bytes] wrote.
    ///
    /// @throws ProblemException when it is something else
    public static FleetDown down(byte[] bytes) {
        try {
            return decode(Down.parseFrom(bytes))
                    .orElseThrow(() -> unreadable(new IllegalArgumentException("it says nothing")));
        } catch (InvalidProtocolBufferException e) {
            throw unreadable(e);
        }
    }

    static Up encode(FleetUp up) {
        return switch (up) {
            case FleetUp.Hello hello ->
                Up.newBuilder()
                        .setHello(Hello.newBuilder()
                                .setInstanceId(hello.instance())
                                .setSoftware(hello.software())
                                .setClusterUid(hello.clusterUid())
                                .addAllCursor(marks(hello.cursor()))
                                .setView(hello.view())
                                .setInterest(ServiceMessages.encode(hello.interest())))
                        .build();
            case FleetUp.Gateways gateways -> {
                var delta = GatewayDelta.newBuilder().setVersion(version(gateways.version()));
                gateways.facts().forEach(fact -> delta.addUpsert(message(fact)));
                yield Up.newBuilder().setGateways(delta).build();
            }
            case FleetUp.Services services ->
                Up.newBuilder().setServices(ServiceMessages.encode(services)).build();
            case FleetUp.Weights weights ->
                Up.newBuilder().setWeights(ServiceMessages.encode(weights)).build();
            case FleetUp.ExportsEnd(var version) ->
                Up.newBuilder()
                        .setExportsEnd(SnapshotEnd.newBuilder().setVersion(version(version)))
                        .build();
            case FleetUp.Interested(var interest) ->
                Up.newBuilder().setInterest(ServiceMessages.encode(interest)).build();
            case FleetUp.Digest(var exports) ->
                Up.newBuilder().setDigests(digests(List.of(exports))).build();
            case FleetUp.Repair(var origins) ->
                Up.newBuilder()
                        .setRepair(Repair.newBuilder().addAllOrigins(origins))
                        .build();
            case FleetUp.Reach reach ->
                Up.newBuilder().setReach(ReachMessages.encode(reach)).build();
        };
    }

    /// Nothing for kinds of messages that we do not know.
    static Optional<FleetUp> decode(Up up) {
        return switch (up.getMessageCase()) {
            case HELLO ->
                Optional.of(new FleetUp.Hello(
                        up.getHello().getInstanceId(),
                        up.getHello().getSoftware(),
                        up.getHello().getClusterUid(),
                        up.getHello().getCursorList().stream()
                                .map(FleetCodec::mark)
                                .toList(),
                        up.getHello().getView(),
                        ServiceMessages.decode(up.getHello().getInterest())));
            case GATEWAYS ->
                Optional.of(new FleetUp.Gateways(
                        up.getGateways().getUpsertList().stream()
                                .map(FleetCodec::fact)
                                .toList(),
                        version(up.getGateways().getVersion())));
            case SERVICES -> Optional.of(ServiceMessages.decode(up.getServices()));
            case WEIGHTS -> Optional.of(ServiceMessages.decode(up.getWeights()));
            case EXPORTS_END ->
                Optional.of(new FleetUp.ExportsEnd(version(up.getExportsEnd().getVersion())));
            case INTEREST -> Optional.of(new FleetUp.Interested(ServiceMessages.decode(up.getInterest())));
            case DIGESTS ->
                up.getDigests().getDigestsList().stream().findFirst().map(digest -> new FleetUp.Digest(digest(digest)));
            case REPAIR -> Optional.of(new FleetUp.Repair(up.getRepair().getOriginsList()));
            case REACH -> Optional.of(ReachMessages.decode(up.getReach()));
            case MESSAGE_NOT_SET -> Optional.empty();
        };
    }

    static Down encode(FleetDown down) {
        var message = Down.newBuilder();
        return switch (down) {
            case FleetDown.Welcome(var server, var last, var exports, var exportsAt) ->
                message.setWelcome(Welcome.newBuilder()
                                .setReplicaId(server)
                                .setUpResume(version(last))
                                .setExports(digest(exports))
                                .setExportsAt(version(exportsAt)))
                        .build();
            case FleetDown.Peers(var changed, var removed) -> {
                var delta = PeerDelta.newBuilder().addAllRemovedUids(removed);
                changed.forEach(peer -> delta.addUpsert(message(peer)));
                yield message.setPeers(delta).build();
            }
            case FleetDown.Views views ->
                message.setViews(ServiceMessages.encode(views)).build();
            case FleetDown.Weights weights ->
                message.setWeights(ServiceMessages.encode(weights)).build();
            case FleetDown.Complete(var marks, var view) ->
                message.setSnapshotEnd(SnapshotEnd.newBuilder()
                                .addAllMarks(marks(marks))
                                .setView(view))
                        .build();
            case FleetDown.RepairBegin(var origin) ->
                message.setDirective(directive(Directive.Kind.RESYNC_ORIGIN, List.of(Integer.toString(origin))))
                        .build();
            case FleetDown.RepairEnd(var origin) ->
                message.setSnapshotEnd(SnapshotEnd.newBuilder().setOrigin(origin))
                        .build();
            case FleetDown.ResendExports() ->
                message.setDirective(directive(Directive.Kind.RESYNC_ORIGIN, List.of()))
                        .build();
            case FleetDown.Unsettled(var origins) ->
                message.setDirective(directive(
                                Directive.Kind.UNSETTLED,
                                origins.stream().sorted().map(String::valueOf).toList()))
                        .build();
            case FleetDown.Settled(var origins) ->
                message.setDirective(directive(
                                Directive.Kind.SETTLED,
                                origins.stream().sorted().map(String::valueOf).toList()))
                        .build();
            case FleetDown.SlowDown(var reason) ->
                message.setDirective(directive(Directive.Kind.SLOW_DOWN, List.of(reason)))
                        .build();
            case FleetDown.Digests(var digests) ->
                message.setDigests(digests(digests)).build();
            case FleetDown.PortConflict(var path, var winner, var others) ->
                message.setConflict(Conflict.newBuilder()
                                .setService(path)
                                .setWinner(winner)
                                .addAllClusters(others))
                        .build();
            case FleetDown.Receipt(var version, var rejected) -> {
                var receipt = UpAck.newBuilder().setVersion(version(version));
                rejected.forEach(one -> receipt.addRejected(UpAck.Rejected.newBuilder()
                        .setId(one.id())
                        .setCode(one.code())
                        .setReason(one.reason())));
                yield message.setUpAck(receipt).build();
            }
            case FleetDown.Revoked(var reason) ->
                message.setDirective(directive(Directive.Kind.REVOKED, List.of(reason)))
                        .build();
        };
    }

    /// Nothing for kinds of messages that we do not know.
    static Optional<FleetDown> decode(Down down) {
        return switch (down.getMessageCase()) {
            case WELCOME ->
                Optional.of(new FleetDown.Welcome(
                        down.getWelcome().getReplicaId(),
                        version(down.getWelcome().getUpResume()),
                        digest(down.getWelcome().getExports()),
                        version(down.getWelcome().getExportsAt())));
            case PEERS ->
                Optional.of(new FleetDown.Peers(
                        down.getPeers().getUpsertList().stream()
                                .map(FleetCodec::peer)
                                .toList(),
                        down.getPeers().getRemovedUidsList()));
            case VIEWS -> Optional.of(ServiceMessages.decode(down.getViews()));
            case WEIGHTS -> Optional.of(ServiceMessages.decode(down.getWeights()));
            case SNAPSHOT_END ->
                Optional.of(
                        down.getSnapshotEnd().getOrigin() == 0
                                ? new FleetDown.Complete(
                                        down.getSnapshotEnd().getMarksList().stream()
                                                .map(FleetCodec::mark)
                                                .toList(),
                                        down.getSnapshotEnd().getView())
                                : new FleetDown.RepairEnd(down.getSnapshotEnd().getOrigin()));
            case DIGESTS ->
                Optional.of(new FleetDown.Digests(down.getDigests().getDigestsList().stream()
                        .map(FleetCodec::digest)
                        .toList()));
            case CONFLICT ->
                Optional.of(new FleetDown.PortConflict(
                        down.getConflict().getService(),
                        down.getConflict().getWinner(),
                        down.getConflict().getClustersList()));
            case UP_ACK ->
                Optional.of(new FleetDown.Receipt(
                        version(down.getUpAck().getVersion()),
                        down.getUpAck().getRejectedList().stream()
                                .map(one -> new FleetDown.Rejection(one.getId(), one.getCode(), one.getReason()))
                                .toList()));
            case DIRECTIVE -> decode(down.getDirective());
            case MESSAGE_NOT_SET -> Optional.empty();
        };
    }

    /// Nothing for orders that we do not know.
    private static Optional<FleetDown> decode(Directive directive) {
        var words = directive.getArgsList();
        return switch (directive.getKind()) {
            case REVOKED -> Optional.of(new FleetDown.Revoked(String.join(" ", words)));
            case SLOW_DOWN -> Optional.of(new FleetDown.SlowDown(String.join(" ", words)));
            case UNSETTLED ->
                Optional.of(new FleetDown.Unsettled(
                        words.stream().map(FleetCodec::number).collect(Collectors.toSet())));
            case SETTLED ->
                Optional.of(new FleetDown.Settled(
                        words.stream().map(FleetCodec::number).collect(Collectors.toSet())));
            case RESYNC_ORIGIN ->
                Optional.of(
                        words.isEmpty()
                                ? new FleetDown.ResendExports()
                                : new FleetDown.RepairBegin(number(words.getFirst())));
            case DRAIN_TO, RENEW, UNRECOGNIZED -> Optional.empty();
        };
    }

    private static int number(String word) {
        try {
            return Integer.parseInt(word);
        } catch (NumberFormatException e) {
            throw unreadable(e);
        }
    }

    private static Directive directive(Directive.Kind kind, List<String> words) {
        return Directive.newBuilder().setKind(kind).addAllArgs(words).build();
    }

    private static List<io.fathom.wire.proto.fleet.OriginMark> marks(List<OriginMark> marks) {
        return marks.stream()
                .map(mark -> io.fathom.wire.proto.fleet.OriginMark.newBuilder()
                        .setOrigin(mark.origin())
                        .setIncarnation(mark.version().incarnation())
                        .setSeq(mark.version().sequence())
                        .build())
                .toList();
    }

    private static OriginMark mark(io.fathom.wire.proto.fleet.OriginMark mark) {
        return new OriginMark(mark.getOrigin(), new FactVersion(mark.getIncarnation(), mark.getSeq()));
    }

    static Copied encode(OriginCopy copy) {
        return Copied.newBuilder()
                .setOrigin(copy.origin())
                .setSaid(encode(copy.said()))
                .setBefore(version(copy.before()))
                .setPart(
                        switch (copy.part()) {
                            case CHANGE -> Copied.Part.CHANGE;
                            case WHOLE -> Copied.Part.WHOLE;
                            case WHOLE_UNSETTLED -> Copied.Part.WHOLE_UNSETTLED;
                            case WHOLE_SETTLED -> Copied.Part.WHOLE_SETTLED;
                        })
                .build();
    }

    /// Nothing for what a later version of the other side says.
    static Optional<OriginCopy> decode(Copied copied) {
        var part = switch (copied.getPart()) {
            case CHANGE -> Optional.of(OriginCopy.CopyPart.CHANGE);
            case WHOLE -> Optional.of(OriginCopy.CopyPart.WHOLE);
            case WHOLE_UNSETTLED -> Optional.of(OriginCopy.CopyPart.WHOLE_UNSETTLED);
            case WHOLE_SETTLED -> Optional.of(OriginCopy.CopyPart.WHOLE_SETTLED);
            case UNRECOGNIZED -> Optional.<OriginCopy.CopyPart>empty();
        };
        return part.flatMap(known -> decode(copied.getSaid())
                .map(said -> new OriginCopy(copied.getOrigin(), known, said, version(copied.getBefore()))));
    }

    private static DigestList digests(List<OriginDigest> digests) {
        return DigestList.newBuilder()
                .addAllDigests(digests.stream().map(FleetCodec::digest).toList())
                .build();
    }

    private static io.fathom.wire.proto.fleet.OriginDigest digest(OriginDigest digest) {
        return io.fathom.wire.proto.fleet.OriginDigest.newBuilder()
                .setOrigin(digest.origin())
                .setCount(digest.count())
                .setSum(digest.sum())
                .build();
    }

    private static OriginDigest digest(io.fathom.wire.proto.fleet.OriginDigest digest) {
        return new OriginDigest(digest.getOrigin(), digest.getCount(), digest.getSum());
    }

    static Version version(FactVersion version) {
        return Version.newBuilder()
                .setIncarnation(version.incarnation())
                .setSeq(version.sequence())
                .build();
    }

    static FactVersion version(Version version) {
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
        fact.issuers().stream()
                .sorted()
                .forEach(key -> message.addIssuerSpkiSha256(
                        ByteString.copyFrom(HexFormat.of().parseHex(key))));
        fact.roots().forEach(root -> message.addTrustRoots(ByteString.copyFrom(root.der())));
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
                Audience.of(fact.getDistributeToList()),
                fact.getTrustRootsList().stream()
                        .map(der -> TrustRoot.of(der.toByteArray()))
                        .toList(),
                fact.getIssuerSpkiSha256List().stream()
                        .map(key -> HexFormat.of().formatHex(key.toByteArray()))
                        .collect(Collectors.toSet()));
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
