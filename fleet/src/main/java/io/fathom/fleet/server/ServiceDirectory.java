// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.facts.FactChange;
import io.fathom.fleet.facts.FactStore;
import io.fathom.fleet.facts.Preference;
import io.fathom.fleet.facts.Preference.Candidate;
import io.fathom.fleet.server.SharedService.ServiceOrigin;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetDown.Receipt;
import io.fathom.model.fleet.FleetDown.Rejection;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.OriginCopy;
import io.fathom.model.fleet.OriginDigest;
import io.fathom.model.fleet.OriginMark;
import io.fathom.model.fleet.ServiceFact;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The services of all clusters, and what each stream is due of them. Any thread; one at a time.
final class ServiceDirectory {
    /// More than this is a snapshot, of which only so many are sent at once.
    private static final int SNAPSHOT = 5_000;

    private static final int SNAPSHOTS_AT_ONCE = 50;
    private static final int MOST_REJECTIONS = 100;

    private final InstantSource clock;
    private final FactStore store = new FactStore(this::changed);
    private final PortConflicts conflicts = new PortConflicts(store);
    private final RefusedExports refused = new RefusedExports();
    private final Map<Integer, Connected> streams = new HashMap<>();
    private final Deque<Integer> queued = new ArrayDeque<>();
    private Map<Integer, Registration> members = Map.of();
    private ServicePolicy policy;
    private int snapshots;

    /// A cluster with a stream.
    private static final class Connected {
        private final int handle;
        private final ClusterSession session;
        private final ServiceStream stream;
        private Interest wanted;
        private Pace pace = Pace.FREE;

        Connected(int handle, ClusterSession session, ServiceStream stream, Interest wanted) {
            this.handle = handle;
            this.session = session;
            this.stream = stream;
            this.wanted = wanted;
        }
    }

    /// Whether a stream may be sent a lot.
    private enum Pace {
        FREE,
        QUEUED,
        SNAPSHOT
    }

    /// How much there is.
    ///
    /// @param services different ones
    /// @param facts what clusters say of them
    public record Sizes(int services, long facts, int blobs, int streams, int snapshots, int conflicts) {}

    ServiceDirectory(ServicePolicy policy, InstantSource clock) {
        this.policy = policy;
        this.clock = clock;
    }

    synchronized Sizes sizes() {
        return new Sizes(
                store.services(),
                store.facts(),
                store.blobs(),
                streams.size(),
                snapshots,
                conflicts.known().size());
    }

    synchronized int exports(int handle) {
        return store.count(handle);
    }

    /// What is exported, by name.
    synchronized List<SharedService> services() {
        var found = new ArrayList<SharedService>();
        for (var row = 0; row < store.limit(); row++) {
            if (store.isUsed(row)) {
                found.add(service(row));
            }
        }
        found.sort(Comparator.comparing(SharedService::path));
        return found;
    }

    private SharedService service(int row) {
        var origins = new ArrayList<ServiceOrigin>();
        for (var index = 0; index < store.width(row); index++) {
            origins.add(new ServiceOrigin(name(store.originAt(row, index)), store.readyAt(row, index)));
        }
        origins.sort(Comparator.comparing(ServiceOrigin::cluster));
        return new SharedService(store.path(row), origins);
    }

    synchronized FactVersion version(int handle) {
        return store.version(handle);
    }

    /// What a cluster has said of its services, also what it may not export.
    synchronized OriginDigest digest(int handle) {
        return refused.with(store.digest(handle));
    }

    synchronized boolean isSettled(int handle) {
        return store.isSettled(handle);
    }

    synchronized ServicePolicy policy() {
        return policy;
    }

    /// From now on that is what may be exported to whom. What is allowed no more goes at once, also from what others
    /// hold; what was refused and is allowed now is told.
    synchronized void use(ServicePolicy changed) {
        var before = policy;
        policy = changed;
        var now = clock.instant();
        members.values().stream()
                .filter(Registration::isMember)
                .filter(origin -> !before.exports(origin.name()).equals(changed.exports(origin.name())))
                .forEach(origin -> sift(origin, now));
        for (var connected : streams.values()) {
            var viewer = members.get(connected.handle);
            if (viewer != null) {
                narrow(connected, allowed(viewer, connected.wanted));
            }
        }
    }

    private void sift(Registration origin, Instant now) {
        var handle = origin.handle();
        var sequence = store.version(handle).sequence();
        store.rowsOf(handle)
                .mapToObj(row -> store.factOf(row, handle))
                .filter(fact -> !policy.mayExport(origin.name(), fact.namespace()))
                .forEach(fact -> {
                    store.remove(handle, fact.path(), sequence, now);
                    refused.add(handle, fact);
                });
        for (var fact : refused.of(handle)) {
            if (rejection(origin, fact).isEmpty()) {
                refused.remove(handle, fact.path());
                put(handle, dated(origin, fact, now), sequence, new ArrayList<>());
            }
        }
    }

    /// The receiver does not know what it may not have, so it is told what there is of each cluster.
    private static void narrow(Connected connected, Interest interest) {
        if (!interest.equals(connected.stream.queue().interest())) {
            connected.stream.want(interest);
            connected.stream.queue().preference().origins().forEach(connected.stream::repair);
            connected.session.wake();
        }
    }

    /// A stream begins; what it takes is asked for with [#next].
    synchronized void open(int handle, FleetUp.Hello hello, ClusterSession session) {
        close(handle);
        var viewer = members.get(handle);
        if (viewer == null) {
            return;
        }
        var stream = new ServiceStream(store, preference(viewer), allowed(viewer, hello));
        var connected = new Connected(handle, session, stream, hello.interest());
        streams.put(handle, connected);
        pace(connected);
        conflicts.known().forEach((row, found) -> {
            if (found.winner() == handle || found.others().contains(handle)) {
                stream.conflict(report(row, Optional.of(found), found.winner()));
            }
        });
    }

    private FleetUp.Hello allowed(Registration viewer, FleetUp.Hello hello) {
        return new FleetUp.Hello(
                hello.instance(),
                hello.software(),
                hello.clusterUid(),
                hello.cursor(),
                hello.view(),
                allowed(viewer, hello.interest()));
    }

    /// What a cluster wants and may have.
    private Interest allowed(Registration viewer, Interest wanted) {
        var may = policy.imports(viewer.name());
        if (may.contains("*")) {
            return wanted;
        }
        var scope = switch (wanted.scope()) {
            case Interest.InterestScope.Everything() -> new Interest.InterestScope.Namespaces(may);
            case Interest.InterestScope.Namespaces(var names) ->
                new Interest.InterestScope.Namespaces(
                        names.stream().filter(may::contains).collect(Collectors.toSet()));
            case Interest.InterestScope.Listed(var paths) ->
                new Interest.InterestScope.Listed(paths.stream()
                        .filter(path -> may.contains(path.split("/", 2)[0]))
                        .collect(Collectors.toSet()));
        };
        return new Interest(scope, wanted.mostOrigins());
    }

    /// A stream has ended.
    synchronized void close(int handle, ClusterSession session) {
        var connected = streams.get(handle);
        if (connected != null && connected.session.equals(session)) {
            close(handle);
        }
    }

    private void close(int handle) {
        var connected = streams.remove(handle);
        if (connected != null) {
            store.snapshotBreaks(handle);
            queued.remove(handle);
            if (connected.pace == Pace.SNAPSHOT) {
                snapshotDone();
            }
        }
    }

    private void pace(Connected connected) {
        if (connected.pace == Pace.FREE && connected.stream.queue().size() > SNAPSHOT) {
            if (snapshots < SNAPSHOTS_AT_ONCE) {
                snapshots++;
                connected.pace = Pace.SNAPSHOT;
            } else {
                connected.pace = Pace.QUEUED;
                queued.addLast(connected.handle);
                connected.stream.slowDown(queued.size() + " clusters are served before this one");
            }
        }
    }

    private void snapshotDone() {
        snapshots--;
        var next = queued.pollFirst();
        if (next != null) {
            var connected = streams.get(next);
            if (connected != null) {
                snapshots++;
                connected.pace = Pace.SNAPSHOT;
                connected.session.wake();
            }
        }
    }

    /// What a stream is due next.
    synchronized Optional<FleetDown> next(int handle, ClusterSession session) {
        var connected = streams.get(handle);
        if (connected == null || !connected.session.equals(session)) {
            return Optional.empty();
        }
        pace(connected);
        var message = connected.stream.next(clock.instant(), connected.pace != Pace.QUEUED);
        if (connected.pace == Pace.SNAPSHOT && connected.stream.queue().isEmpty()) {
            connected.pace = Pace.FREE;
            snapshotDone();
        }
        return message;
    }

    /// Wakes whatever has something that could wait for a while. To be called every second.
    synchronized void tick() {
        var now = clock.instant();
        for (var connected : streams.values()) {
            if (connected.stream.isPressing(now)) {
                connected.session.wake();
            }
        }
    }

    synchronized void want(int handle, Interest interest) {
        var connected = streams.get(handle);
        var viewer = members.get(handle);
        if (connected != null && viewer != null) {
            connected.wanted = interest;
            connected.stream.want(allowed(viewer, interest));
        }
    }

    synchronized void repair(int handle, List<Integer> origins) {
        var connected = streams.get(handle);
        if (connected != null) {
            origins.forEach(connected.stream::repair);
        }
    }

    /// All that a cluster has said and not taken back, also what it may not export; nothing while it is saying that.
    synchronized Optional<FleetUp.Services> said(int handle) {
        if (store.inSnapshot(handle)) {
            return Optional.empty();
        }
        var facts = new ArrayList<>(refused.of(handle));
        store.rowsOf(handle).mapToObj(row -> store.factOf(row, handle)).forEach(facts::add);
        return Optional.of(new FleetUp.Services(facts, List.of(), FleetUp.ServicePart.SNAPSHOT, store.version(handle)));
    }

    /// Up to where clusters are known.
    synchronized List<OriginMark> marks() {
        return members.values().stream()
                .filter(Registration::isMember)
                .map(member -> new OriginMark(member.handle(), store.version(member.handle())))
                .filter(mark -> !mark.version().equals(FactVersion.NONE))
                .toList();
    }

    /// Takes in all that a cluster has said to another server, unless more is known here, or it is here itself.
    ///
    /// @return whether it was taken
    synchronized boolean replace(Registration origin, FleetUp.Services all, OriginCopy.CopyPart end) {
        var handle = origin.handle();
        if (streams.containsKey(handle) || all.version().compareTo(store.version(handle)) < 0) {
            return false;
        }
        var wasSettled = store.isSettled(handle);
        var sequence = all.version().sequence();
        store.snapshotBreaks(handle);
        store.snapshotBegins(handle);
        refused.forget(handle);
        for (var fact : all.changed()) {
            if (rejection(origin, fact).isEmpty()) {
                put(handle, dated(origin, fact, clock.instant()), sequence, new ArrayList<>());
            } else {
                remember(origin, fact);
            }
        }
        store.advance(handle, all.version());
        store.snapshotEnds(handle, sequence, clock.instant());
        if (!wasSettled && end == OriginCopy.CopyPart.WHOLE_UNSETTLED) {
            store.unsettle(handle);
        } else if (!wasSettled) {
            tellSettled(handle);
        }
        return true;
    }

    private void tellSettled(int handle) {
        streams.values().forEach(connected -> {
            connected.stream.settled(handle);
            connected.session.wake();
        });
    }

    /// Takes in what was kept of a cluster. It may have said more since: until it is here again, what is missing is not
    /// gone.
    synchronized void restore(Registration origin, FactCache.CachedExports kept) {
        var handle = origin.handle();
        var now = clock.instant();
        for (var part : kept.base()) {
            for (var fact : part.changed()) {
                if (rejection(origin, fact).isEmpty()) {
                    put(handle, dated(origin, fact, now), part.version().sequence(), new ArrayList<>());
                } else {
                    remember(origin, fact);
                }
            }
            store.restored(handle, part.version());
        }
        for (var message : kept.later()) {
            switch (message) {
                case FleetUp.Services said -> {
                    if (said.version().incarnation() != store.version(handle).incarnation()) {
                        store.snapshotBreaks(handle); // as the end of its stream did
                    }
                    accept(origin, said);
                }
                case FleetUp.Weights said -> accept(origin, said);
                case FleetUp.ExportsEnd said -> accept(origin, said);
                case FleetUp.Hello _, FleetUp.Gateways _, FleetUp.Interested _, FleetUp.Digest _, FleetUp.Repair _ -> {}
            }
        }
        store.unsettle(handle);
    }

    /// What a cluster says its exports amount to.
    synchronized boolean compare(int handle, OriginDigest exports) {
        var own = digest(handle);
        var equal = own.count() == exports.count() && own.sum() == exports.sum();
        var connected = streams.get(handle);
        if (!equal && connected != null) {
            connected.stream.resendExports();
        }
        return equal;
    }

    /// Takes in what a member says of its services; what is no good is rejected one by one.
    synchronized Receipt accept(Registration origin, FleetUp.Services said) {
        var handle = origin.handle();
        if (isStale(handle, said.version())) {
            return stale(said.version());
        }
        if (said.part() == FleetUp.ServicePart.SNAPSHOT) {
            store.snapshotBegins(handle);
            refused.forget(handle);
        }
        var rejected = new ArrayList<Rejection>();
        var sequence = said.version().sequence();
        var now = clock.instant();
        for (var fact : said.changed()) {
            refused.remove(handle, fact.path());
            var rejection = rejection(origin, fact);
            if (rejection.isEmpty()) {
                put(handle, dated(origin, fact, now), sequence, rejected);
            } else {
                reject(rejected, rejection.get());
                remember(origin, fact);
            }
        }
        for (var path : said.removed()) {
            refused.remove(handle, path);
            store.remove(handle, path, sequence, now);
        }
        store.advance(handle, said.version());
        return new Receipt(said.version(), rejected);
    }

    private void remember(Registration origin, ServiceFact fact) {
        if (!policy.mayExport(origin.name(), fact.namespace())) {
            refused.add(origin.handle(), fact);
        }
    }

    private void put(int handle, ServiceFact fact, long sequence, List<Rejection> rejected) {
        try {
            store.put(handle, fact, sequence);
        } catch (ProblemException e) {
            reject(
                    rejected,
                    new Rejection(fact.path(), e.problem().code(), e.problem().message()));
        }
    }

    private static void reject(List<Rejection> rejected, Rejection rejection) {
        if (rejected.size() < MOST_REJECTIONS) {
            rejected.add(rejection);
        }
    }

    private Optional<Rejection> rejection(Registration origin, ServiceFact fact) {
        if (!policy.mayExport(origin.name(), fact.namespace())) {
            return Optional.of(new Rejection(
                    fact.path(), "export-not-allowed", "the fleet does not let this cluster export that namespace"));
        }
        if (store.count(origin.handle()) >= policy.mostServices() && !has(origin.handle(), fact.path())) {
            return Optional.of(new Rejection(
                    fact.path(), "too-many-services", "a cluster may export " + policy.mostServices() + " services"));
        }
        return Optional.empty();
    }

    private boolean has(int handle, String path) {
        var row = store.row(path);
        return row >= 0 && store.has(row, handle);
    }

    /// An export is not older than the membership, and not from the future.
    private static ServiceFact dated(Registration origin, ServiceFact fact, Instant now) {
        var date = Math.clamp(
                fact.exported(),
                origin.joined().getEpochSecond(),
                Math.max(origin.joined().getEpochSecond(), now.getEpochSecond()));
        return new ServiceFact(fact.namespace(), fact.name(), fact.body(), fact.spread(), date);
    }

    synchronized Receipt accept(Registration origin, FleetUp.Weights said) {
        var handle = origin.handle();
        if (isStale(handle, said.version())) {
            return stale(said.version());
        }
        var rejected = new ArrayList<Rejection>();
        for (var weight : said.weights()) {
            try {
                if (!store.weigh(
                                handle,
                                weight.key(),
                                weight.spread(),
                                said.version().sequence())
                        && !refused.weigh(handle, weight.key(), weight.spread())) {
                    reject(
                            rejected,
                            new Rejection(
                                    Integer.toHexString(weight.key()),
                                    "service-unknown",
                                    "no service is known by that key"));
                }
            } catch (ProblemException e) {
                reject(
                        rejected,
                        new Rejection(
                                Integer.toHexString(weight.key()),
                                e.problem().code(),
                                e.problem().message()));
            }
        }
        store.advance(handle, said.version());
        return new Receipt(said.version(), rejected);
    }

    synchronized Receipt accept(Registration origin, FleetUp.ExportsEnd said) {
        var handle = origin.handle();
        if (isStale(handle, said.version())) {
            return stale(said.version());
        }
        store.advance(handle, said.version());
        var wasSettled = store.isSettled(handle);
        store.snapshotEnds(handle, said.version().sequence(), clock.instant());
        if (!wasSettled) {
            tellSettled(handle);
        }
        return new Receipt(said.version(), List.of());
    }

    private boolean isStale(int handle, FactVersion version) {
        return version.compareTo(store.version(handle)) <= 0;
    }

    private static Receipt stale(FactVersion version) {
        return new Receipt(
                version,
                List.of(new Rejection("services", "version-stale", "a later stream of the cluster said more")));
    }

    private void changed(FactChange change) {
        for (var connected : streams.values()) {
            if (connected.handle != change.origin() && connected.stream.queue().changed(change) && change.isUrgent()) {
                connected.session.wake();
            }
        }
        if (change.kind() == FactChange.ChangeKind.SERVICE) {
            conflicts.check(change.row()).ifPresent(conflict -> tell(change.row(), conflict));
        }
    }

    private void tell(int row, PortConflicts.ConflictChange conflict) {
        for (var disagreement : List.of(conflict.before(), conflict.now())) {
            disagreement.ifPresent(found -> {
                for (var connected : streams.values()) {
                    if (found.winner() == connected.handle || found.others().contains(connected.handle)) {
                        connected.stream.conflict(report(row, conflict.now(), found.winner()));
                        connected.session.wake();
                    }
                }
            });
        }
    }

    private FleetDown.PortConflict report(int row, Optional<PortConflicts.Disagreement> now, int winner) {
        return new FleetDown.PortConflict(
                store.path(row),
                name(now.map(PortConflicts.Disagreement::winner).orElse(winner)),
                now.map(PortConflicts.Disagreement::others).orElse(Set.of()).stream()
                        .map(this::name)
                        .sorted()
                        .toList());
    }

    private String name(int handle) {
        return Optional.ofNullable(members.get(handle)).map(Registration::name).orElse("");
    }

    /// A cluster has joined, has left, or says something else of its gateway.
    synchronized void memberChanged(Registration changed) {
        var before = members.get(changed.handle());
        var next = new HashMap<>(members);
        next.put(changed.handle(), changed);
        members = next;
        if (before != null
                && before.gateway().equals(changed.gateway())
                && before.standing() == changed.standing()
                && before.bounds().labels().equals(changed.bounds().labels())) {
            return;
        }
        for (var connected : streams.values()) {
            var viewer = next.get(connected.handle);
            if (viewer == null) {
                continue;
            }
            if (connected.handle == changed.handle()) {
                var preference = preference(viewer);
                if (!preference.equals(connected.stream.queue().preference())) {
                    connected.stream.preferAll(preference);
                    connected.session.wake();
                }
                continue;
            }
            var known = connected.stream.queue().preference();
            var preference = candidate(viewer, changed)
                    .map(candidate -> known.with(viewer.handle(), candidate))
                    .orElseGet(() -> known.without(changed.handle()));
            connected.stream.prefer(preference, changed.handle());
            connected.session.wake();
        }
        if (!changed.isMember()) {
            store.forget(changed.handle(), clock.instant());
            refused.forget(changed.handle());
        }
    }

    private Preference preference(Registration viewer) {
        return Preference.of(
                viewer.handle(),
                members.values().stream()
                        .flatMap(origin -> candidate(viewer, origin).stream())
                        .toList());
    }

    private static Optional<Candidate> candidate(Registration viewer, Registration origin) {
        if (!(PeerView.of(Optional.of(origin), viewer) instanceof PeerView.Shown(var peer))) {
            return Optional.empty();
        }
        var own = viewer.gateway();
        var region = own.map(GatewayFact::place).map(GatewayFact.Place::region).orElse("");
        return Optional.of(new Candidate(
                origin.handle(),
                own.map(GatewayFact::network)
                        .filter(peer.fact().network()::equals)
                        .isPresent(),
                !region.isEmpty() && region.equals(peer.fact().place().region())));
    }
}
