// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.base.work.Parts;
import io.fathom.fleet.join.ClusterIdentity;
import io.fathom.fleet.join.JoinToken;
import io.fathom.fleet.server.Registration.Bounds;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetUp;
import io.fathom.wire.fleet.FleetCertificates;
import io.fathom.wire.fleet.FleetHandler;
import io.fathom.wire.fleet.FleetMembership;
import io.fathom.wire.fleet.FleetServer;
import io.fathom.wire.fleet.JoinOrder;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.SigningRequest;
import io.fathom.wire.tls.ReloadingServerTls;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The management server: members, their streams, and who is told what. Any thread.
public final class ManagementServer implements AutoCloseable {
    private static final Duration FRESH_CERTIFICATE = Duration.ofDays(1);

    private final FleetPolicy policy;
    private final Timeline timeline;
    private final Parts parts = new Parts();
    private final FleetEvents events;
    private final Map<String, ClusterSession> sessions = new ConcurrentHashMap<>();
    private final Fleet fleet;
    private final FleetAuthority authority;
    private final ReloadingServerTls tls;
    private final FleetServer port;

    private ManagementServer(
            Path folder, InetSocketAddress address, FleetPolicy policy, Timeline timeline, SecureRandom random) {
        this.policy = policy;
        this.timeline = timeline;
        this.events = new FleetEvents(timeline);
        try {
            var store = parts.keep(FleetStore.open(folder));
            this.authority = FleetAuthority.open(store.authority(), policy, timeline.instant());
            this.fleet = new Fleet(store, policy, timeline, random, this::changed);
            this.tls = new ReloadingServerTls(authority.serverIdentity(timeline.instant()));
            this.port = parts.keep(FleetServer.start(address, tls, new Answers()));
            planCertificate();
        } catch (RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    /// Starts to listen.
    ///
    /// @param folder where it keeps everything that has to outlive it
    /// @throws ProblemException when port or folder cannot be had
    public static ManagementServer start(
            Path folder, InetSocketAddress address, FleetPolicy policy, Timeline timeline, SecureRandom random) {
        return new ManagementServer(folder, address, policy, timeline, random);
    }

    private void planCertificate() {
        var _ = timeline.at(timeline.instant().plus(FRESH_CERTIFICATE), () -> {
            tls.use(authority.serverIdentity(timeline.instant()));
            planCertificate();
        });
    }

    public int port() {
        return port.port();
    }

    /// A token that lets a cluster join once.
    ///
    /// @throws ProblemException when that is no name of a cluster
    public JoinToken issue(String cluster, Bounds bounds, Duration life) {
        var token = fleet.issue(cluster, bounds, life, authority.serverFingerprint());
        events.happened("token-issued", cluster, token + " for " + life.toSeconds() + "s");
        return token;
    }

    /// Ends a membership: the Gateways for that cluster go everywhere, and its own copies with them.
    ///
    /// @throws ProblemException when no such cluster is a member
    public void leave(String cluster) {
        var left = fleet.leave(cluster);
        events.happened("cluster-left", cluster, left.uid());
        var session = sessions.remove(left.uid());
        if (session != null) {
            session.revoke("cluster " + cluster + " has left the fleet");
        }
    }

    /// How it goes.
    public FleetStatus status() {
        var clusters = fleet.registrations().values().stream()
                .map(registration -> {
                    var session = Optional.ofNullable(sessions.get(registration.uid()));
                    return new FleetStatus.ClusterStatus(
                            registration,
                            session.map(ClusterSession::since),
                            session.map(ClusterSession::peer).orElse(""),
                            session.map(ClusterSession::software).orElse(""));
                })
                .sorted()
                .toList();
        return new FleetStatus(policy.fleet(), clusters, fleet.openTokens(), events.counts());
    }

    private void changed(String uid) {
        sessions.values().forEach(session -> session.changed(uid));
    }

    @Override
    public void close() {
        parts.close();
    }

    /// Who a certificate is of, member or not.
    private Registration registered(X509Certificate caller) {
        return ClusterIdentity.of(AlternativeNames.of(caller))
                .filter(identity -> identity.fleet().equals(policy.fleet()))
                .flatMap(identity -> Optional.ofNullable(fleet.registrations().get(identity.uid())))
                .filter(found -> found.key().equals(FleetCertificates.fingerprint(caller.getPublicKey())))
                .orElseThrow(FleetProblems::notMember);
    }

    private boolean isMember(String uid) {
        return Optional.ofNullable(fleet.registrations().get(uid))
                .map(Registration::isMember)
                .orElse(false);
    }

    private final class Answers implements FleetHandler, ClusterSession.SessionHost {
        @Override
        public FleetMembership join(JoinOrder order, String peer) {
            try {
                var request = SigningRequest.parse(order.csr());
                var member = fleet.join(
                        order, FleetCertificates.fingerprint(request.key().publicKey()));
                events.happened("cluster-joined", member.name(), member.uid() + " from " + peer);
                return authority.certify(member, request, timeline.instant());
            } catch (ProblemException e) {
                events.refused(e.problem().code(), order.cluster(), e.problem().message() + ", from " + peer);
                throw e;
            }
        }

        @Override
        public FleetMembership renew(X509Certificate caller, String csr) {
            var member = registered(caller);
            var request = SigningRequest.parse(csr);
            if (!member.isMember()) {
                throw FleetProblems.notMember();
            }
            if (!FleetCertificates.fingerprint(request.key().publicKey()).equals(member.key())) {
                throw FleetProblems.otherKey();
            }
            events.happened("certificate-renewed", member.name(), member.uid());
            return authority.certify(member, request, timeline.instant());
        }

        @Override
        public FleetSession open(X509Certificate caller, String peer, FleetOutlet outlet) {
            try {
                var member = registered(caller);
                var session = new ClusterSession(member.uid(), peer, timeline.instant(), this, outlet);
                if (!member.isMember()) {
                    session.revoke("cluster " + member.name() + " has left the fleet");
                }
                return session;
            } catch (ProblemException e) {
                events.refused(
                        e.problem().code(), String.join(",", AlternativeNames.of(caller)), "a stream from " + peer);
                throw e;
            }
        }

        @Override
        public FleetDown.Welcome greet(ClusterSession session, FleetUp.Hello hello) {
            var member = Optional.ofNullable(fleet.registrations().get(session.uid()))
                    .orElseThrow(FleetProblems::notMember);
            if (!member.isMember()) {
                throw FleetProblems.notMember();
            }
            if (!hello.clusterUid().equals(member.uid())) {
                var problem = FleetProblems.anotherCluster(member.uid(), hello.clusterUid());
                events.alarm(problem.problem().code(), member.name(), "from " + session.peer());
                throw problem;
            }
            var before = sessions.put(member.uid(), session);
            if (before != null && !before.equals(session)) {
                if (!before.instance().equals(hello.instance())) {
                    events.alarm(
                            "stream-taken-over",
                            member.name(),
                            "by another agent, from " + session.peer() + " instead of " + before.peer());
                }
                before.replace();
            }
            if (!isMember(member.uid())) { // it left meanwhile
                sessions.remove(member.uid(), session);
                throw FleetProblems.notMember();
            }
            events.happened("stream-opened", member.name(), session.peer() + " " + hello.software());
            return new FleetDown.Welcome(policy.fleet(), member.version());
        }

        @Override
        public FleetDown.Receipt accept(ClusterSession session, FleetUp.Gateways said) {
            var receipt = fleet.accept(session.uid(), said);
            report(session.uid(), receipt.rejected());
            return receipt;
        }

        private void report(String uid, List<FleetDown.Rejection> rejected) {
            var name = Optional.ofNullable(fleet.registrations().get(uid))
                    .map(Registration::name)
                    .orElse(uid);
            rejected.forEach(one -> events.refused(one.code(), name, one.id() + ": " + one.reason()));
        }

        @Override
        public void ended(ClusterSession session) {
            if (sessions.remove(session.uid(), session)) {
                events.happened("stream-ended", session.uid(), session.peer());
            }
        }

        @Override
        public Fleet fleet() {
            return fleet;
        }
    }
}
