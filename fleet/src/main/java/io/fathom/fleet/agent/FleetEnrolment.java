// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.agent.AgentStore.FleetMember;
import io.fathom.fleet.agent.AgentStore.MemberStanding;
import io.fathom.fleet.join.ClusterIdentity;
import io.fathom.fleet.join.JoinToken;
import io.fathom.wire.fleet.FleetClient;
import io.fathom.wire.fleet.JoinOrder;
import io.fathom.wire.fleet.ServerAddress;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.RequestWriter;
import io.fathom.wire.pki.TlsIdentity;
import java.security.KeyPair;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Becomes a member, and stays one. Blocks; for one thread.
final class FleetEnrolment {
    private final AgentConfig config;
    private final String uid;
    private final AgentStore store;
    private final FleetClient client;
    /// One key for all attempts: the server takes the token again from it alone.
    private final KeyPair fresh = KeyAlgorithm.P256.generate();

    FleetEnrolment(AgentConfig config, String uid, AgentStore store, FleetClient client) {
        this.config = config;
        this.uid = uid;
        this.store = store;
        this.client = client;
    }

    /// The membership that is there, unless there is a token that has not been used.
    ///
    /// @throws ProblemException when there is neither
    Optional<FleetMember> kept() {
        var token = config.token().map(FleetEnrolment::parsed);
        var member = store.member()
                .filter(found -> found.cluster().equals(config.cluster()))
                .filter(found -> token.isEmpty() || token.get().id().equals(found.token()));
        if (member.map(FleetMember::standing)
                .filter(MemberStanding.LEFT::equals)
                .isPresent()) {
            throw noToken("cluster " + config.cluster() + " has left the fleet");
        }
        if (member.isEmpty() && token.isEmpty()) {
            throw noToken("cluster " + config.cluster() + " is no member of a fleet");
        }
        return member;
    }

    private ProblemException noToken(String message) {
        return new ProblemException(Problem.ofInput(
                "token-required",
                message,
                "make a token at the server, fathomctl fleet token " + config.cluster() + ", and start with --token"));
    }

    private static JoinToken parsed(String text) {
        return JoinToken.parse(text)
                .orElseThrow(() -> new ProblemException(Problem.ofInput(
                        "token-malformed",
                        "the token is none",
                        "copy all of it: it begins with fjt1. and has three dots")));
    }

    /// Why there is no point in asking with that membership: nobody renews what has ended.
    Optional<Problem> expired(FleetMember member, Instant now) {
        var end = member.membership().chain().getFirst().getNotAfter().toInstant();
        return now.isBefore(end)
                ? Optional.empty()
                : Optional.of(Problem.ofInput(
                        "certificate-expired",
                        "the certificate of cluster " + config.cluster() + " in the fleet was good until " + end,
                        "make a token at the server, fathomctl fleet token " + config.cluster()
                                + ", and start with --token; what is written stays meanwhile"));
    }

    /// @param networks that the cluster is on, as far as it is known
    FleetMember join(ServerAddress server, List<String> networks) {
        var token = parsed(config.token().orElseThrow());
        var names = List.of(new ClusterIdentity("fleet", uid).uri()); // the server decides on the name
        var order = new JoinOrder(
                token.text(),
                config.cluster(),
                uid,
                RequestWriter.write(fresh, names),
                List.of(config.gateways().trustDomain()),
                networks);
        var membership = client.join(server, token.server(), order);
        var member = new FleetMember(fresh, membership, config.cluster(), token.id(), MemberStanding.MEMBER);
        store.keep(member);
        return member;
    }

    FleetMember renew(ServerAddress server, FleetMember member) {
        var names = List.of(new ClusterIdentity(member.membership().fleet(), uid).uri());
        var renewed =
                client.renew(server, member.membership(), identity(member), RequestWriter.write(member.keys(), names));
        var next = member.with(renewed);
        store.keep(next);
        return next;
    }

    static TlsIdentity identity(FleetMember member) {
        return new TlsIdentity(
                member.keys().getPrivate(),
                member.membership().chain(),
                member.membership().roots());
    }
}
