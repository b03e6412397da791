// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.OriginDigest;
import io.fathom.model.fleet.OriginMark;
import io.fathom.model.fleet.OriginView;
import io.fathom.model.fleet.ServiceFact;
import io.fathom.model.fleet.ServiceView;
import io.fathom.model.fleet.ServiceView.OriginShare;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.wire.fleet.ServiceFactCodec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What is known of the services of other clusters, and what the local control plane is told of it. What nothing is
/// said of stays as it is. For one thread.
final class ViewHolder {
    private final LocalControlPlane plane;
    private final Interest interest;
    private final TreeMap<String, List<OriginShare>> held = new TreeMap<>();
    private final Map<Integer, Set<String>> keys = new HashMap<>();
    private final Map<Integer, OriginDigest> digests = new HashMap<>();
    private final TreeMap<Integer, FactVersion> marks = new TreeMap<>();
    private final Map<Integer, Set<String>> repairing = new HashMap<>();
    private final Map<Integer, FleetPeer> peers = new HashMap<>();
    /// Of which everything there is has been told since we are here.
    private final Set<Integer> confirmed = new HashSet<>();
    private Set<Integer> unsettled = Set.of();
    private long view;
    private long refused;
    private boolean changed;

    /// What came of one origin in one message.
    private static final class OriginChange {
        private final List<ServiceSummary> changed = new ArrayList<>();
        private final List<String> removed = new ArrayList<>();
    }

    ViewHolder(LocalControlPlane plane, Interest interest) {
        this.plane = plane;
        this.interest = interest;
    }

    Interest interest() {
        return interest;
    }

    List<OriginMark> cursor() {
        return marks.entrySet().stream()
                .map(mark -> new OriginMark(mark.getKey(), mark.getValue()))
                .toList();
    }

    long view() {
        return view;
    }

    /// How many services other clusters have.
    int services() {
        return held.size();
    }

    /// Facts that could not be read.
    long refused() {
        return refused;
    }

    /// Whether anything is different since this was asked last.
    boolean takeChanged() {
        var was = changed;
        changed = false;
        return was;
    }

    /// Everything that is held, to be kept.
    List<ServiceView> all() {
        return held.entrySet().stream()
                .map(one -> {
                    var slash = one.getKey().indexOf('/');
                    return new ServiceView(
                            one.getKey().substring(0, slash), one.getKey().substring(slash + 1), one.getValue(), 0);
                })
                .toList();
    }

    /// Goes on from what was kept.
    void restore(List<ServiceView> views, List<OriginMark> cursor, long keptView) {
        views.stream().filter(it -> interest.includes(it.path())).forEach(it -> replace(it, new HashMap<>()));
        cursor.forEach(mark -> marks.put(mark.origin(), mark.version()));
        view = keptView;
        changed = false;
    }

    /// Which clusters there are.
    void peers(Collection<FleetPeer> known) {
        var now = new HashMap<Integer, FleetPeer>();
        known.forEach(peer -> now.put(peer.handle(), peer));
        for (var before : List.copyOf(peers.values())) {
            var after = now.get(before.handle());
            if (after == null) {
                drop(before.handle());
            }
            if (after == null || !after.cluster().equals(before.cluster())) {
                plane.forget(before.cluster());
            }
        }
        var told = Map.copyOf(peers);
        peers.clear();
        peers.putAll(now);
        tellAll(now.values().stream()
                .filter(peer -> {
                    var before = Optional.ofNullable(told.get(peer.handle())).map(ViewHolder::summary);
                    return !before.equals(Optional.of(summary(peer)));
                })
                .toList());
    }

    private void tellAll(Collection<FleetPeer> origins) {
        if (!origins.isEmpty()) {
            views(origins).forEach(plane::tell);
        }
    }

    /// Of what was kept in a file, or while the server may not know everything, what is missing is not gone.
    private OriginView view(FleetPeer peer, List<ServiceSummary> services) {
        return confirmed.contains(peer.handle())
                ? OriginView.all(summary(peer), services)
                : OriginView.delta(summary(peer), services, List.of());
    }

    private static ClusterSummary summary(FleetPeer peer) {
        return new ClusterSummary(
                peer.cluster(),
                peer.fact().network(),
                peer.fact().trustDomain(),
                peer.fact().issuers());
    }

    /// Every cluster with all of its services.
    Collection<OriginView> known() {
        return views(peers.values());
    }

    private List<OriginView> views(Collection<FleetPeer> origins) {
        var services = new HashMap<Integer, List<ServiceSummary>>();
        origins.forEach(peer -> services.put(peer.handle(), new ArrayList<>()));
        held.forEach((path, backends) -> backends.forEach(backend -> Optional.ofNullable(services.get(backend.origin()))
                .ifPresent(list -> read(path, backend).ifPresent(list::add))));
        return origins.stream()
                .map(peer -> view(peer, services.getOrDefault(peer.handle(), List.of())))
                .toList();
    }

    private Optional<ServiceSummary> read(String path, OriginShare backend) {
        var slash = path.indexOf('/');
        try {
            return Optional.of(ServiceFactCodec.summary(
                    path.substring(0, slash), path.substring(slash + 1), backend.body(), backend.spread()));
        } catch (ProblemException _) {
            refused++;
            return Optional.empty();
        }
    }

    void take(FleetDown.Views said) {
        var changes = new TreeMap<Integer, OriginChange>();
        for (var one : said.views()) {
            if (interest.includes(one.path())) {
                one.backends()
                        .forEach(backend -> Optional.ofNullable(repairing.get(backend.origin()))
                                .ifPresent(paths -> paths.add(one.path())));
                replace(one, changes);
            }
        }
        tell(changes);
    }

    private void replace(ServiceView one, Map<Integer, OriginChange> changes) {
        var path = one.path();
        var before = held.getOrDefault(path, List.of());
        var now = new ArrayList<>(one.backends());
        for (var backend : before) {
            if (find(one.backends(), backend.origin()) == null && unsettled.contains(backend.origin())) {
                now.add(backend);
            }
        }
        set(path, before, now, changes);
    }

    private void set(String path, List<OriginShare> before, List<OriginShare> now, Map<Integer, OriginChange> changes) {
        for (var backend : before) {
            if (find(now, backend.origin()) == null) {
                sum(path, backend, -1);
                changes.computeIfAbsent(backend.origin(), _ -> new OriginChange())
                        .removed
                        .add(path);
            }
        }
        for (var backend : now) {
            var known = find(before, backend.origin());
            if (backend.equals(known)) {
                continue;
            }
            if (known != null) {
                sum(path, known, -1);
            }
            sum(path, backend, 1);
            read(path, backend)
                    .ifPresent(service -> changes.computeIfAbsent(backend.origin(), _ -> new OriginChange())
                            .changed
                            .add(service));
        }
        if (now.isEmpty()) {
            held.remove(path);
            keys.computeIfPresent(
                    ServiceFact.key(path), (_, paths) -> paths.remove(path) && paths.isEmpty() ? null : paths);
        } else {
            held.put(path, List.copyOf(now));
            keys.computeIfAbsent(ServiceFact.key(path), _ -> new HashSet<>(2)).add(path);
        }
        changed = true;
    }

    private static @Nullable OriginShare find(List<OriginShare> backends, int origin) {
        for (var backend : backends) {
            if (backend.origin() == origin) {
                return backend;
            }
        }
        return null;
    }

    private void sum(String path, OriginShare backend, int sign) {
        var hash = ServiceFact.hash64(path, backend.body(), backend.spread());
        digests.compute(backend.origin(), (origin, sum) -> {
            var before = sum == null ? OriginDigest.none(origin) : sum;
            return sign > 0 ? before.plus(hash) : before.minus(hash);
        });
    }

    void take(FleetDown.Weights said) {
        var changes = new TreeMap<Integer, OriginChange>();
        for (var weight : said.weights()) {
            for (var path : Set.copyOf(keys.getOrDefault(weight.key(), Set.of()))) {
                var before = held.getOrDefault(path, List.of());
                var known = find(before, weight.origin());
                if (known != null) {
                    var now = new ArrayList<>(before);
                    now.set(before.indexOf(known), new OriginShare(known.origin(), known.body(), weight.spread()));
                    set(path, before, now, changes);
                }
            }
        }
        tell(changes);
    }

    private void tell(Map<Integer, OriginChange> changes) {
        changes.forEach((origin, change) -> {
            var peer = peers.get(origin);
            if (peer != null) {
                plane.tell(OriginView.delta(summary(peer), change.changed, change.removed));
            }
        });
    }

    void take(FleetDown.Unsettled said) {
        unsettled = said.origins();
    }

    void take(FleetDown.Settled said) {
        var rest = new HashSet<>(unsettled);
        rest.removeAll(said.origins());
        unsettled = rest;
    }

    void take(FleetDown.Complete said) {
        said.marks().forEach(mark -> marks.put(mark.origin(), mark.version()));
        view = said.view();
        changed = true;
        var complete = peers.values().stream()
                .filter(peer -> !unsettled.contains(peer.handle()) && confirmed.add(peer.handle()))
                .toList();
        tellAll(complete);
    }

    void take(FleetDown.RepairBegin said) {
        repairing.put(said.origin(), new HashSet<>());
    }

    void take(FleetDown.RepairEnd said) {
        var told = repairing.remove(said.origin());
        if (told != null) {
            removeAll(said.origin(), told);
        }
    }

    private void removeAll(int origin, Set<String> but) {
        var changes = new TreeMap<Integer, OriginChange>();
        for (var one : List.copyOf(held.entrySet())) {
            var backend = find(one.getValue(), origin);
            if (backend != null && !but.contains(one.getKey())) {
                var rest = new ArrayList<>(one.getValue());
                rest.remove(backend);
                set(one.getKey(), one.getValue(), rest, changes);
            }
        }
        tell(changes);
    }

    /// What to ask for when something else is held than should be; nothing if it is not.
    Optional<FleetUp.Repair> objection(FleetDown.Digests said) {
        for (var one : said.digests()) {
            if (one.origin() == OriginDigest.ALL_ORIGINS) {
                return one.equals(total()) ? Optional.empty() : Optional.of(new FleetUp.Repair(List.of()));
            }
        }
        var differing = differing(said);
        return differing.isEmpty() ? Optional.empty() : Optional.of(new FleetUp.Repair(differing));
    }

    private OriginDigest total() {
        return OriginDigest.total(digests.values().stream()
                .filter(digest -> peers.containsKey(digest.origin()) && !unsettled.contains(digest.origin()))
                .toList());
    }

    private List<Integer> differing(FleetDown.Digests said) {
        return said.digests().stream()
                .filter(digest -> !unsettled.contains(digest.origin()) && !repairing.containsKey(digest.origin()))
                .filter(digest ->
                        !digest.equals(digests.getOrDefault(digest.origin(), OriginDigest.none(digest.origin()))))
                .map(OriginDigest::origin)
                .toList();
    }

    /// A stream has ended: what was being told again will be.
    void disconnected() {
        repairing.clear();
    }

    private void drop(int origin) {
        peers.remove(origin);
        removeAll(origin, Set.of());
        marks.remove(origin);
        digests.remove(origin);
        repairing.remove(origin);
        confirmed.remove(origin);
    }

    /// Forgets everything.
    void clear() {
        peers(List.of());
        held.clear();
        keys.clear();
        digests.clear();
        marks.clear();
        view = 0;
    }
}
