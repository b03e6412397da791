// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.base.lang.ProblemException;
import io.fathom.fleet.facts.FactStore;
import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetDown.Receipt;
import io.fathom.model.fleet.FleetDown.Rejection;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.OriginDigest;
import io.fathom.model.fleet.ServiceFact;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// Takes in what members say of their services; what is no good is rejected one by one. Guarded by its
/// [ServiceDirectory].
final class ExportIntake {
    private static final int MOST_REJECTIONS = 100;

    private final FactStore store;
    private final InstantSource clock;
    private final RefusedExports refused = new RefusedExports();
    private ServicePolicy policy;

    ExportIntake(FactStore store, ServicePolicy policy, InstantSource clock) {
        this.store = store;
        this.policy = policy;
        this.clock = clock;
    }

    ServicePolicy policy() {
        return policy;
    }

    /// From now on that is what may be exported. What is allowed no more goes at once; what was refused and is allowed
    /// now counts.
    void use(ServicePolicy changed, Collection<Registration> members) {
        var before = policy;
        policy = changed;
        var now = clock.instant();
        members.stream()
                .filter(Registration::isMember)
                .filter(origin -> !before.exports(origin.name()).equals(changed.exports(origin.name())))
                .forEach(origin -> sift(origin, now));
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

    /// What a cluster has said of its services, also what it may not export.
    OriginDigest digest(int handle) {
        return refused.with(store.digest(handle));
    }

    /// A cluster has left.
    void forget(int handle) {
        store.forget(handle, clock.instant());
        refused.forget(handle);
    }

    Receipt accept(Registration origin, FleetUp.Services said) {
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

    /// All that a cluster has said and not taken back, also what it may not export; nothing while it is saying that.
    Optional<FleetUp.Services> said(int handle) {
        if (store.inSnapshot(handle)) {
            return Optional.empty();
        }
        var facts = new ArrayList<>(refused.of(handle));
        store.rowsOf(handle).mapToObj(row -> store.factOf(row, handle)).forEach(facts::add);
        return Optional.of(new FleetUp.Services(facts, List.of(), FleetUp.ServicePart.SNAPSHOT, store.version(handle)));
    }

    /// Takes in what was kept of a cluster. It may have said more since: until it is here again, what is missing is not
    /// gone.
    void restore(Registration origin, FactCache.CachedExports kept) {
        var handle = origin.handle();
        for (var part : kept.base()) {
            takeAll(origin, part);
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
                case FleetUp.Hello _,
                        FleetUp.Gateways _,
                        FleetUp.Interested _,
                        FleetUp.Digest _,
                        FleetUp.Repair _,
                        FleetUp.Reach _ -> {}
            }
        }
        store.unsettle(handle);
    }

    /// Takes in all that a cluster has said to another server.
    void replace(Registration origin, FleetUp.Services all) {
        var handle = origin.handle();
        store.snapshotBreaks(handle);
        store.snapshotBegins(handle);
        refused.forget(handle);
        takeAll(origin, all);
        store.advance(handle, all.version());
        store.snapshotEnds(handle, all.version().sequence(), clock.instant());
    }

    private void takeAll(Registration origin, FleetUp.Services part) {
        for (var fact : part.changed()) {
            if (rejection(origin, fact).isEmpty()) {
                var dated = dated(origin, fact, clock.instant());
                put(origin.handle(), dated, part.version().sequence(), new ArrayList<>());
            } else {
                remember(origin, fact);
            }
        }
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
            reject(rejected, rejection(fact.path(), e));
        }
    }

    private static Rejection rejection(String id, ProblemException e) {
        return new Rejection(id, e.problem().code(), e.problem().message());
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

    Receipt accept(Registration origin, FleetUp.Weights said) {
        var handle = origin.handle();
        if (isStale(handle, said.version())) {
            return stale(said.version());
        }
        var rejected = new ArrayList<Rejection>();
        var sequence = said.version().sequence();
        for (var weight : said.weights()) {
            var id = Integer.toHexString(weight.key());
            try {
                if (!store.weigh(handle, weight.key(), weight.spread(), sequence)
                        && !refused.weigh(handle, weight.key(), weight.spread())) {
                    reject(rejected, new Rejection(id, "service-unknown", "no service is known by that key"));
                }
            } catch (ProblemException e) {
                reject(rejected, rejection(id, e));
            }
        }
        store.advance(handle, said.version());
        return new Receipt(said.version(), rejected);
    }

    Receipt accept(Registration origin, FleetUp.ExportsEnd said) {
        var handle = origin.handle();
        if (isStale(handle, said.version())) {
            return stale(said.version());
        }
        store.advance(handle, said.version());
        store.snapshotEnds(handle, said.version().sequence(), clock.instant());
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
}
