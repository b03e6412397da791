// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.Timeline;
import io.fathom.base.work.Parts;
import io.fathom.fleet.join.ClusterIdentity;
import io.fathom.fleet.join.JoinToken;
import io.fathom.fleet.server.Registration.Bounds;
import io.fathom.model.fleet.OriginCopy;
import io.fathom.wire.fleet.ConnectionCounts;
import io.fathom.wire.fleet.EvictionReason;
import io.fathom.wire.fleet.FleetCertificates;
import io.fathom.wire.fleet.FleetClient;
import io.fathom.wire.fleet.FleetHandler;
import io.fathom.wire.fleet.FleetLimits;
import io.fathom.wire.fleet.FleetMembership;
import io.fathom.wire.fleet.FleetServer;
import io.fathom.wire.fleet.JoinOrder;
import io.fathom.wire.fleet.ServerAddress;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.SigningRequest;
import io.fathom.wire.tls.ReloadingServerTls;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// The management server: members, their streams, and who is told what. Any thread.
public final class ManagementServer implements AutoCloseable {
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final Duration FRESH_CERTIFICATE = Duration.ofDays(1);

    private final FleetPolicy policy;
    private final Timeline timeline;
    private final Parts parts = new Parts();
    private final FleetHub hub;
    private final FleetEvents events;
    private final FleetAuthority authority;
    private final ReloadingServerTls tls;
    private final FleetServer port;
    private volatile Optional<ReplicaLinks> replicas = Optional.empty();

    private ManagementServer(
            FleetStore store,
            Optional<FactCache> cache,
            InetSocketAddress address,
            FleetPolicy policy,
            FleetLimits limits,
            Timeline timeline,
            SecureRandom random) {
        this.policy = policy;
        this.timeline = timeline;
        try {
            this.authority = FleetAuthority.open(parts.keep(store), policy, timeline.instant());
            this.hub = FleetHub.open(store, cache, policy, timeline, random);
            this.events = hub.events();
            this.tls = new ReloadingServerTls(authority.serverIdentity(timeline.instant()));
            this.port = parts.keep(FleetServer.start(address, tls, limits, new Answers()));
            planCertificate();
            planTick();
        } catch (RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    /// Starts to listen.
    ///
    /// @param store with everything that has to outlive it; closed with it, also when it does not start
    /// @throws ProblemException when the port cannot be had
    public static ManagementServer start(
            FleetStore store, InetSocketAddress address, FleetPolicy policy, Timeline timeline, SecureRandom random) {
        return start(store, Optional.empty(), address, policy, FleetLimits.DEFAULT, timeline, random);
    }

    /// The same with other limits for connections.
    ///
    /// @param cache of what clusters have said of their services
    /// @throws ProblemException when the port cannot be had
    public static ManagementServer start(
            FleetStore store,
            Optional<FactCache> cache,
            InetSocketAddress address,
            FleetPolicy policy,
            FleetLimits limits,
            Timeline timeline,
            SecureRandom random) {
        return new ManagementServer(store, cache, address, policy, limits, timeline, random);
    }

    /// Sees to it that a store has the keys of a fleet, before any server runs on it.
    ///
    /// @return what tokens of this fleet name: a fingerprint of the server's key
    public static String prepare(FleetStore store, FleetPolicy policy, Instant now) {
        return FleetAuthority.open(store, policy, now).serverFingerprint();
    }

    private void planCertificate() {
        var _ = timeline.at(timeline.instant().plus(FRESH_CERTIFICATE), () -> {
            tls.use(authority.serverIdentity(timeline.instant()));
            planCertificate();
        });
    }

    private void planTick() {
        var _ = timeline.at(timeline.instant().plus(TICK), () -> {
            hub.tick();
            planTick();
        });
    }

    public int port() {
        return port.port();
    }

    /// A token that lets a cluster join once.
    ///
    /// @throws ProblemException when that is no name of a cluster
    public JoinToken issue(String cluster, Bounds bounds, Duration life) {
        return hub.issue(cluster, bounds, life, authority.serverFingerprint());
    }

    /// Ends a membership: the Gateways for that cluster go everywhere, and its own copies with them.
    ///
    /// @throws ProblemException when no such cluster is a member
    public void leave(String cluster) {
        hub.leave(cluster);
    }

    /// What may be exported to whom.
    public ServicePolicy servicePolicy() {
        return hub.servicePolicy();
    }

    /// From now on that is what may be exported to whom.
    public void use(ServicePolicy services) {
        hub.use(services);
    }

    /// How it goes.
    public FleetStatus status() {
        return hub.status();
    }

    /// What each member finds at the gateways of the others.
    public List<FleetReach> reach() {
        return hub.reach();
    }

    /// The same in short.
    public List<ReachCounts> reachCounts() {
        return hub.reachCounts();
    }

    /// What clusters export, by name.
    public List<SharedService> services() {
        return hub.services();
    }

    /// From now on follows the other servers of the fleet, so that all know the services of all clusters.
    ///
    /// @param addresses of all servers, also of this one; may block
    public void follow(Supplier<List<ServerAddress>> addresses) {
        replicas = Optional.of(parts.keep(new ReplicaLinks(
                hub, policy.fleet(), () -> authority.serverIdentity(timeline.instant()), addresses, timeline)));
    }

    /// How many other servers it follows.
    public int followed() {
        return replicas.map(ReplicaLinks::connected).orElse(0);
    }

    /// Who is connected.
    public ConnectionCounts connections() {
        return port.connections();
    }

    /// Of messages to agents.
    public long bytesSent() {
        return port.bytesSent();
    }

    /// Of messages from agents.
    public long bytesReceived() {
        return port.bytesReceived();
    }

    /// For how long clusters had to wait because they said too much at once, by name.
    public Map<String, Duration> waited() {
        return hub.waited();
    }

    @Override
    public void close() {
        parts.close();
    }

    /// Who a certificate is of, member or not.
    private Registration registered(X509Certificate caller) {
        return ClusterIdentity.of(AlternativeNames.of(caller))
                .filter(identity -> identity.fleet().equals(policy.fleet()))
                .flatMap(identity -> Optional.ofNullable(hub.registrations().get(identity.uid())))
                .filter(found -> found.key().equals(FleetCertificates.fingerprint(caller.getPublicKey())))
                .orElseThrow(FleetProblems::notMember);
    }

    private final class Answers implements FleetHandler {
        @Override
        public FleetMembership join(JoinOrder order, String peer) {
            try {
                var request = SigningRequest.parse(order.csr());
                var member = hub.join(
                        order, FleetCertificates.fingerprint(request.key().publicKey()), peer);
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
        public FleetStream<OriginCopy> follow(X509Certificate caller, String peer, FleetOutlet outlet) {
            if (!AlternativeNames.of(caller).contains(FleetClient.serverName(policy.fleet()))) {
                var problem = FleetProblems.noServer();
                events.refused(problem.problem().code(), String.join(",", AlternativeNames.of(caller)), "from " + peer);
                throw problem;
            }
            return hub.follow(outlet);
        }

        @Override
        public void evicted(EvictionReason reason, String peer) {
            events.refused(reason.code(), "", "from " + peer);
        }

        @Override
        public FleetSession open(X509Certificate caller, String peer, FleetOutlet outlet) {
            try {
                return hub.open(registered(caller), peer, outlet);
            } catch (ProblemException e) {
                events.refused(
                        e.problem().code(), String.join(",", AlternativeNames.of(caller)), "a stream from " + peer);
                throw e;
            }
        }
    }
}
