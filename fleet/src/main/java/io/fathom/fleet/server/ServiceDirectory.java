// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.fleet.facts.FactChange;
import io.fathom.fleet.facts.FactStore;
import io.fathom.fleet.facts.Preference;
import io.fathom.fleet.facts.Preference.Candidate;
import io.fathom.fleet.server.ServiceStreams.Connected;
import io.fathom.fleet.server.SharedService.ServiceOrigin;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetDown.Receipt;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.OriginCopy;
import io.fathom.model.fleet.OriginDigest;
import io.fathom.model.fleet.OriginMark;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The services of all clusters, and who gets to know of them: what members say goes to the [ExportIntake], what they
/// are due comes from the [ServiceStreams]. Any thread; one at a time.
final class ServiceDirectory {
    private final InstantSource clock;
    private final FactStore store = new FactStore(this::changed);
    private final PortConflicts conflicts = new PortConflicts(store);
    private final ServiceStreams streams = new ServiceStreams(store);
    private final ExportIntake intake;
    private Map<Integer, Registration> members = Map.of();

    /// How much there is.
    ///
    /// @param services different ones
    /// @param facts what clusters say of them
    public record Sizes(int services, long facts, int blobs, int streams, int snapshots, int conflicts) {}

    ServiceDirectory(ServicePolicy policy, InstantSource clock) {
        this.intake = new ExportIntake(store, policy, clock);
        this.clock = clock;
    }

    synchronized Sizes sizes() {
        return new Sizes(
                store.services(),
                store.facts(),
                store.blobs(),
                streams.count(),
                streams.snapshots(),
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
        return intake.digest(handle);
    }

    synchronized boolean isSettled(int handle) {
        return store.isSettled(handle);
    }

    synchronized ServicePolicy policy() {
        return intake.policy();
    }

    /// From now on that is what may be exported to whom. What is allowed no more goes at once, also from what others
    /// hold; what was refused and is allowed now is told.
    synchronized void use(ServicePolicy changed) {
        intake.use(changed, members.values());
        for (var connected : streams.all()) {
            var viewer = members.get(connected.handle());
            if (viewer != null) {
                narrow(connected, allowed(viewer, connected.wanted()));
            }
        }
    }

    /// The receiver does not know what it may not have, so it is told what there is of each cluster.
    private void narrow(Connected connected, Interest interest) {
        if (!interest.equals(connected.stream().queue().interest())) {
            streams.want(connected, connected.wanted(), interest);
            connected.stream().queue().preference().origins().forEach(connected.stream()::repair);
            connected.wake();
        }
    }

    /// A stream begins; what it takes is asked for with [#next].
    synchronized void open(int handle, FleetUp.Hello hello, ClusterSession session) {
        streams.close(handle);
        var viewer = members.get(handle);
        if (viewer == null) {
            return;
        }
        var stream = new ServiceStream(store, preference(viewer), allowed(viewer, hello));
        streams.open(new Connected(handle, session, stream, hello.interest()));
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
        var may = intake.policy().imports(viewer.name());
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
        streams.close(handle, session);
    }

    /// What a stream is due next.
    synchronized Optional<FleetDown> next(int handle, ClusterSession session) {
        return streams.next(handle, session, clock.instant());
    }

    /// Wakes whatever has something that could wait for a while. To be called every second.
    synchronized void tick() {
        streams.tick(clock.instant());
    }

    synchronized void want(int handle, Interest interest) {
        var viewer = members.get(handle);
        if (viewer != null) {
            streams.of(handle).ifPresent(connected -> streams.want(connected, interest, allowed(viewer, interest)));
        }
    }

    /// @param origins none: the receiver cannot tell which
    synchronized void repair(int handle, List<Integer> origins) {
        streams.of(handle).map(Connected::stream).ifPresent(stream -> {
            if (origins.isEmpty()) {
                stream.tellEachDigest();
            }
            origins.forEach(stream::repair);
        });
    }

    /// All that a cluster has said and not taken back, also what it may not export; nothing while it is saying that.
    synchronized Optional<FleetUp.Services> said(int handle) {
        return intake.said(handle);
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
        if (streams.of(handle).isPresent() || all.version().compareTo(store.version(handle)) < 0) {
            return false;
        }
        var wasSettled = store.isSettled(handle);
        intake.replace(origin, all);
        if (!wasSettled && end == OriginCopy.CopyPart.WHOLE_UNSETTLED) {
            store.unsettle(handle);
        } else if (!wasSettled) {
            tellSettled(handle);
        }
        return true;
    }

    private void tellSettled(int handle) {
        streams.all().forEach(connected -> {
            connected.stream().settled(handle);
            connected.wake();
        });
    }

    /// Takes in what was kept of a cluster. It may have said more since: until it is here again, what is missing is not
    /// gone.
    synchronized void restore(Registration origin, FactCache.CachedExports kept) {
        intake.restore(origin, kept);
    }

    /// What a cluster says its exports amount to.
    synchronized boolean compare(int handle, OriginDigest exports) {
        var own = intake.digest(handle);
        var equal = own.count() == exports.count() && own.sum() == exports.sum();
        if (!equal) {
            streams.of(handle).ifPresent(connected -> connected.stream().resendExports());
        }
        return equal;
    }

    /// Takes in what a member says of its services; what is no good is rejected one by one.
    synchronized Receipt accept(Registration origin, FleetUp.Services said) {
        return intake.accept(origin, said);
    }

    synchronized Receipt accept(Registration origin, FleetUp.Weights said) {
        return intake.accept(origin, said);
    }

    synchronized Receipt accept(Registration origin, FleetUp.ExportsEnd said) {
        var handle = origin.handle();
        var wasSettled = store.isSettled(handle);
        var receipt = intake.accept(origin, said);
        if (!wasSettled && store.isSettled(handle)) {
            tellSettled(handle);
        }
        return receipt;
    }

    private void changed(FactChange change) {
        streams.changed(change);
        if (change.kind() == FactChange.ChangeKind.SERVICE) {
            conflicts.check(change.row(), change.origin()).ifPresent(conflict -> tell(change.row(), conflict));
        }
    }

    private void tell(int row, PortConflicts.ConflictChange conflict) {
        for (var disagreement : List.of(conflict.before(), conflict.now())) {
            disagreement.ifPresent(found -> {
                for (var connected : streams.all()) {
                    if (found.winner() == connected.handle() || found.others().contains(connected.handle())) {
                        connected.stream().conflict(report(row, conflict.now(), found.winner()));
                        connected.wake();
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
        for (var connected : streams.all()) {
            var viewer = next.get(connected.handle());
            if (viewer != null && prefer(connected, viewer, changed)) {
                connected.wake();
            }
        }
        if (!changed.isMember()) {
            intake.forget(changed.handle());
        }
    }

    /// @return whether that makes a difference to the viewer
    private boolean prefer(Connected connected, Registration viewer, Registration changed) {
        var known = connected.stream().queue().preference();
        if (connected.handle() == changed.handle()) {
            var preference = preference(viewer);
            if (preference.equals(known)) {
                return false;
            }
            connected.stream().preferAll(preference);
            return true;
        }
        var preference = candidate(viewer, changed)
                .map(candidate -> known.with(viewer.handle(), candidate))
                .orElseGet(() -> known.without(changed.handle()));
        if (preference.equals(known)) {
            return false;
        }
        connected.stream().prefer(preference, changed.handle());
        return true;
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
