// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.OriginCopy;
import io.fathom.wire.dial.GrpcCall;
import io.fathom.wire.dial.GrpcStream;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.proto.fleet.Copied;
import io.fathom.wire.proto.fleet.Down;
import io.fathom.wire.proto.fleet.JoinRequest;
import io.fathom.wire.proto.fleet.JoinResponse;
import io.fathom.wire.proto.fleet.RenewRequest;
import io.fathom.wire.proto.fleet.RenewResponse;
import io.grpc.StatusException;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/// Calls of an agent to its management server, each on a connection of its own. Any thread.
public final class FleetClient {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final String JOIN = "fathom.fleet.v1.FleetJoin/Join";
    private static final String RENEW = "fathom.fleet.v1.FleetJoin/Renew";
    private static final String FOLLOW = "fathom.fleet.v1.FleetReplica/Follow";
    private static final String SYNC = "fathom.fleet.v1.FleetSync/Sync";

    private final EventLoop loop;
    private final InstantSource clock;

    public FleetClient(EventLoop loop, InstantSource clock) {
        this.loop = loop;
        this.clock = clock;
    }

    /// The name of the server in a fleet's certificates.
    public static String serverName(String fleet) {
        return "spiffe://" + fleet + "/server";
    }

    /// Becomes a member. Blocks.
    ///
    /// @param fingerprint of the server's key; nothing is sent to a server with another
    /// @throws ProblemException when the server refuses, or does not answer
    public FleetMembership join(ServerAddress server, String fingerprint, JoinOrder order) {
        var trust = new FleetServerTrust.Pinned(fingerprint);
        var transport = FleetTransport.of(server.host(), server.port(), trust, Optional.empty());
        var request = JoinRequest.newBuilder()
                .setToken(order.token())
                .setClusterName(order.cluster())
                .setClusterUid(order.uid())
                .setCsrDer(FleetCertificates.der(order.csr()))
                .addAllTrustDomains(order.trustDomains())
                .addAllNetworks(order.networks())
                .build();
        try {
            var answer = JoinResponse.parseFrom(ask(server, transport, JOIN, request.toByteArray()));
            return new FleetMembership(
                    FleetCertificates.decode(answer.getCertificateChainList()),
                    FleetCertificates.decode(answer.getFleetRootsList()),
                    answer.getClusterHandle(),
                    answer.getFleet());
        } catch (InvalidProtocolBufferException e) {
            throw FleetCodec.unreadable(e);
        } catch (ProblemException e) {
            throw trust.mismatched() ? wrongKey(server) : e;
        }
    }

    private static ProblemException wrongKey(ServerAddress server) {
        return new ProblemException(
                Problem.ofInput(
                        "wrong-server-key",
                        "the server at " + server + " shows another key than the token names; nothing was sent to it",
                        "check the address: something else answers there, or the server was set up anew and needs a new token"));
    }

    /// A new certificate for the same key. Blocks.
    ///
    /// @throws ProblemException when the server refuses, or does not answer
    public FleetMembership renew(ServerAddress server, FleetMembership member, TlsIdentity own, String csr) {
        var request =
                RenewRequest.newBuilder().setCsrDer(FleetCertificates.der(csr)).build();
        try {
            var answer =
                    RenewResponse.parseFrom(ask(server, transport(server, member, own), RENEW, request.toByteArray()));
            return new FleetMembership(
                    FleetCertificates.decode(answer.getCertificateChainList()),
                    FleetCertificates.decode(answer.getFleetRootsList()),
                    member.handle(),
                    member.fleet());
        } catch (InvalidProtocolBufferException e) {
            throw FleetCodec.unreadable(e);
        }
    }

    /// Opens the stream. The listener is called on the loop and must not block.
    public FleetLink<FleetDown> open(
            ServerAddress server, FleetMembership member, TlsIdentity own, FleetLink.LinkListener<FleetDown> listener) {
        var link = new FleetLink<>(server, bytes -> FleetCodec.decode(Down.parseFrom(bytes)), listener);
        link.begin(GrpcStream.open(transport(server, member, own), server.toString(), SYNC, link, loop));
        return link;
    }

    /// Follows another management server. The listener is called on the loop and must not block.
    ///
    /// @param own as every server of the fleet has it
    public FleetLink<OriginCopy> follow(
            ServerAddress server, String fleet, TlsIdentity own, FleetLink.LinkListener<OriginCopy> listener) {
        var link = new FleetLink<>(server, bytes -> FleetCodec.decode(Copied.parseFrom(bytes)), listener);
        var trust = new FleetServerTrust.Member(own.roots(), serverName(fleet), clock);
        var transport = FleetTransport.of(server.host(), server.port(), trust, Optional.of(own));
        link.begin(GrpcStream.open(transport, server.toString(), FOLLOW, link, loop));
        return link;
    }

    private FleetTransport transport(ServerAddress server, FleetMembership member, TlsIdentity own) {
        var trust = new FleetServerTrust.Member(member.roots(), serverName(member.fleet()), clock);
        return FleetTransport.of(server.host(), server.port(), trust, Optional.of(own));
    }

    private byte[] ask(ServerAddress server, FleetTransport transport, String method, byte[] question) {
        try {
            return GrpcCall.ask(transport, server.toString(), method, question, PATIENCE, loop);
        } catch (StatusException e) {
            throw new ProblemException(FleetRefusals.problem(e.getStatus(), server.toString()));
        }
    }
}
