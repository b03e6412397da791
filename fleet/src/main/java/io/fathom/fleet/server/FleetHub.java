// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.join.JoinToken;
import io.fathom.fleet.server.Registration.Bounds;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetDown.Receipt;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.OriginCopy;
import io.fathom.wire.fleet.FleetHandler.FleetOutlet;
import io.fathom.wire.fleet.FleetHandler.FleetSession;
import io.fathom.wire.fleet.FleetHandler.FleetStream;
import io.fathom.wire.fleet.JoinOrder;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Members, their streams, and who is told what. Knows no certificates and no sockets: a stream comes with the member
/// it is of. Any thread.
public final class FleetHub implements ClusterSession.SessionHost {
    private final FleetPolicy policy;
    private final InstantSource clock;
    private final FleetEvents events;
    private final Map<String, ClusterSession> sessions = new ConcurrentHashMap<>();
    private final MemberLoad load;
    private final ServiceDirectory directory;
    private final ReachMatrix reach = new ReachMatrix();
    private final String id = UUID.randomUUID().toString();
    private final ReplicaFeed feed;
    private final Fleet fleet;
    private volatile boolean open;

    private final Optional<FactCache> cache;

    private FleetHub(
            FleetStore store, Optional<FactCache> cache, FleetPolicy policy, InstantSource clock, SecureRandom random) {
        this.cache = cache;
        this.policy = policy;
        this.clock = clock;
        this.events = new FleetEvents(clock);
        this.load = new MemberLoad(clock, events);
        this.directory = new ServiceDirectory(policy.services(), clock);
        this.feed = new ReplicaFeed(id, directory);
        this.fleet = new Fleet(store, policy, clock, random, this::changed);
        this.open = true;
        fleet.registrations().values().forEach(directory::memberChanged);
        cache.ifPresent(this::restore);
    }

    private void restore(FactCache from) {
        var members = fleet.registrations().values().stream()
                .filter(Registration::isMember)
                .toList();
        from.keepOnly(members.stream().map(Registration::uid).collect(Collectors.toSet()));
        var found = 0;
        for (var member : members) {
            var kept = from.read(member.uid());
            if (!kept.isEmpty()) {
                directory.restore(member, kept);
                found++;
            }
        }
        events.happened("services-restored", "", directory.sizes().facts() + " services of " + found + " clusters");
    }

    /// Goes on from what is in a store.
    ///
    /// @param store stays open
    public static FleetHub open(FleetStore store, FleetPolicy policy, InstantSource clock, SecureRandom random) {
        return open(store, Optional.empty(), policy, clock, random);
    }

    /// The same with what clusters have said of their services.
    public static FleetHub open(
            FleetStore store, Optional<FactCache> cache, FleetPolicy policy, InstantSource clock, SecureRandom random) {
        return new FleetHub(store, cache, policy, clock, random);
    }

    FleetEvents events() {
        return events;
    }

    /// A token that lets a cluster join once.
    ///
    /// @throws ProblemException when that is no name of a cluster
    public JoinToken issue(String cluster, Bounds bounds, Duration life, String serverKey) {
        var token = fleet.issue(cluster, bounds, life, serverKey);
        events.happened("token-issued", cluster, token + " for " + life.toSeconds() + "s");
        return token;
    }

    /// Makes a cluster a member.
    ///
    /// @param key fingerprint of the agent's key
    /// @throws ProblemException when the token is not good for that
    public Registration join(JoinOrder order, String key, String peer) {
        var member = fleet.join(order, key);
        events.happened("cluster-joined", member.name(), member.uid() + " from " + peer);
        return member;
    }

    /// All clusters that are or were members, by UID.
    public Map<String, Registration> registrations() {
        return fleet.registrations();
    }

    /// Ends a membership: what others know of that cluster goes everywhere.
    ///
    /// @throws ProblemException when no such cluster is a member
    public void leave(String cluster) {
        var left = fleet.leave(cluster);
        events.happened("cluster-left", cluster, left.uid());
        var session = sessions.remove(left.uid());
        if (session != null) {
            directory.close(left.handle(), session);
            session.revoke("cluster " + cluster + " has left the fleet");
        }
    }

    /// A stream of a member begins.
    ///
    /// @throws ProblemException when it has too many, or opens them too fast
    public FleetSession open(Registration member, String peer, FleetOutlet outlet) {
        var session = new ClusterSession(member.uid(), peer, clock.instant(), this, outlet);
        load.opened(session, member.name());
        if (!member.isMember()) {
            session.revoke("cluster " + member.name() + " has left the fleet");
        }
        return session;
    }

    /// Sees to what could wait for a while. To be called every second.
    public void tick() {
        directory.tick();
        load.tick();
        feed.tick();
    }

    /// What may be exported to whom.
    public ServicePolicy servicePolicy() {
        return directory.policy();
    }

    /// From now on that is what may be exported to whom.
    public void use(ServicePolicy services) {
        directory.use(services);
        events.happened("service-policy-changed", "", services.rules().size() + " rules");
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
                            session.map(ClusterSession::software).orElse(""),
                            directory.exports(registration.handle()));
                })
                .sorted()
                .toList();
        return new FleetStatus(policy.fleet(), clusters, fleet.openTokens(), events.counts(), directory.sizes());
    }

    /// What each member finds at the gateways of the others.
    public List<FleetReach> reach() {
        return reach.of(fleet.registrations().values());
    }

    /// The same in short.
    public List<ReachCounts> reachCounts() {
        return reach.counts(fleet.registrations().values());
    }

    /// What clusters export, by name.
    public List<SharedService> services() {
        return directory.services();
    }

    private void changed(String uid) {
        if (!open) {
            return; // what is there at the start is taken in as a whole
        }
        var changed = registration(uid);
        directory.memberChanged(changed);
        if (!changed.isMember()) {
            reach.forget(uid);
            cache.ifPresent(it -> it.forget(uid));
        }
        sessions.values().forEach(session -> session.changed(uid));
    }

    private Registration registration(String uid) {
        return Optional.ofNullable(fleet.registrations().get(uid)).orElseThrow(FleetProblems::notMember);
    }

    private Registration member(ClusterSession session) {
        var member = registration(session.uid());
        if (!member.isMember()) {
            throw FleetProblems.notMember();
        }
        return member;
    }

    @Override
    public FleetDown.Welcome greet(ClusterSession session, FleetUp.Hello hello) {
        var member = member(session);
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
        if (!registration(member.uid()).isMember()) { // it left meanwhile
            sessions.remove(member.uid(), session);
            throw FleetProblems.notMember();
        }
        directory.open(member.handle(), hello, session);
        events.happened("stream-opened", member.name(), session.peer() + " " + hello.software());
        return welcome(member);
    }

    private FleetDown.Welcome welcome(Registration member) {
        var exportsAt = directory.version(member.handle());
        var last = exportsAt.compareTo(member.version()) > 0 ? exportsAt : member.version();
        return new FleetDown.Welcome(policy.fleet(), last, directory.digest(member.handle()), exportsAt);
    }

    @Override
    public Receipt accept(ClusterSession session, FleetUp.Gateways said) {
        var before = member(session);
        var receipt = report(session, fleet.accept(session.uid(), said));
        registration(session.uid()).gateway().ifPresent(now -> {
            if (!now.roots().equals(before.roots(now.trustDomain()))) {
                events.happened("roots-changed", before.name(), now.trustDomain() + " " + now.roots());
            }
        });
        return receipt;
    }

    @Override
    public Receipt accept(ClusterSession session, FleetUp.Services said) {
        return spread(session, said, member -> directory.accept(member, said));
    }

    @Override
    public Receipt accept(ClusterSession session, FleetUp.Weights said) {
        return spread(session, said, member -> directory.accept(member, said));
    }

    @Override
    public Receipt accept(ClusterSession session, FleetUp.ExportsEnd said) {
        return spread(session, said, member -> directory.accept(member, said));
    }

    @Override
    public void heard(ClusterSession session, FleetUp.Interested said) {
        directory.want(member(session).handle(), said.interest());
    }

    @Override
    public void heard(ClusterSession session, FleetUp.Repair said) {
        var member = member(session);
        events.happened("view-repaired", member.name(), "clusters " + said.origins());
        directory.repair(member.handle(), said.origins());
    }

    @Override
    public void heard(ClusterSession session, FleetUp.Digest said) {
        var member = member(session);
        if (!directory.compare(member.handle(), said.exports())) {
            events.happened("exports-repaired", member.name(), "what it exports is not what the server has");
        }
    }

    @Override
    public void heard(ClusterSession session, FleetUp.Reach said) {
        reach.heard(member(session).uid(), said, fleet.registrations().size(), clock.instant());
    }

    @Override
    public Optional<FleetDown> nextOfServices(ClusterSession session) {
        return Optional.ofNullable(fleet.registrations().get(session.uid()))
                .flatMap(member -> directory.next(member.handle(), session));
    }

    private Receipt cached(ClusterSession session, FleetUp said, Receipt receipt) {
        keep(member(session), said);
        return report(session, receipt);
    }

    private void keep(Registration member, FleetUp said) {
        cache.ifPresent(it -> it.said(member.uid(), said, () -> directory.said(member.handle())));
    }

    /// Tells the other servers, too.
    private Receipt spread(ClusterSession session, FleetUp said, Function<Registration, Receipt> taking) {
        var member = member(session);
        var before = directory.version(member.handle());
        var receipt = taking.apply(member);
        if (directory.version(member.handle()).equals(CopyReceiver.version(said))) {
            feed.said(member.handle(), said, before);
        }
        return cached(session, said, receipt);
    }

    /// Another server begins to follow this one.
    FleetStream<OriginCopy> follow(FleetOutlet outlet) {
        return feed.open(outlet);
    }

    /// What a stream to another server begins with.
    FleetUp.Hello replicaHello() {
        return CopyReceiver.hello(id, directory);
    }

    /// Takes in what another server has heard.
    ///
    /// @param out takes what is asked of it
    CopyReceiver receiver(Consumer<FleetUp> out) {
        return new CopyReceiver(new Copies(), out);
    }

    private final class Copies implements CopyReceiver.CopyTarget {
        @Override
        public Optional<Registration> member(int origin) {
            return fleet.registrations().values().stream()
                    .filter(one -> one.isMember() && one.handle() == origin)
                    .findFirst();
        }

        @Override
        public FactVersion version(int origin) {
            return directory.version(origin);
        }

        @Override
        public void change(Registration origin, FleetUp said) {
            switch (said) {
                case FleetUp.Services services -> directory.accept(origin, services);
                case FleetUp.Weights weights -> directory.accept(origin, weights);
                case FleetUp.ExportsEnd end -> directory.accept(origin, end);
                case FleetUp.Hello _,
                        FleetUp.Gateways _,
                        FleetUp.Interested _,
                        FleetUp.Digest _,
                        FleetUp.Repair _,
                        FleetUp.Reach _ -> {}
            }
            keep(origin, said);
        }

        @Override
        public void whole(Registration origin, FleetUp.Services all, OriginCopy.CopyPart end) {
            if (directory.replace(origin, all, end)) {
                cache.ifPresent(it -> it.whole(origin.uid(), all));
            }
        }
    }

    private Receipt report(ClusterSession session, Receipt receipt) {
        List<FleetDown.Rejection> rejected = receipt.rejected();
        if (!rejected.isEmpty()) {
            var name = Optional.ofNullable(fleet.registrations().get(session.uid()))
                    .map(Registration::name)
                    .orElse(session.uid());
            rejected.forEach(one -> events.refused(one.code(), name, one.id() + ": " + one.reason()));
        }
        return receipt;
    }

    @Override
    public Duration spend(ClusterSession session, int cost) {
        var name = Optional.ofNullable(fleet.registrations().get(session.uid()))
                .map(Registration::name)
                .orElse(session.uid());
        return load.spend(session, name, cost);
    }

    /// For how long clusters had to wait because they said too much at once, by name.
    public Map<String, Duration> waited() {
        var byName = new TreeMap<String, Duration>();
        load.waited()
                .forEach(
                        (uid, time) -> Optional.ofNullable(fleet.registrations().get(uid))
                                .ifPresent(member -> byName.put(member.name(), time)));
        return byName;
    }

    @Override
    public void ended(ClusterSession session) {
        load.ended(session);
        if (sessions.remove(session.uid(), session)) {
            Optional.ofNullable(fleet.registrations().get(session.uid()))
                    .ifPresent(member -> directory.close(member.handle(), session));
            events.happened("stream-ended", session.uid(), session.peer());
        }
    }

    @Override
    public Fleet fleet() {
        return fleet;
    }

    /// Up to where the services of a cluster are known.
    public FactVersion exportsOf(Registration cluster) {
        return directory.version(cluster.handle());
    }
}
