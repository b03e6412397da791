// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.PeerReach;
import io.fathom.model.fleet.PeerReach.ReachedAddress;
import io.fathom.model.peering.Reachability;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/// What each cluster finds at the gateways of the others. It is shown and nothing else: who can be reached from where
/// is decided there. What somebody said holds until he says something else, or leaves. In memory. Any thread.
final class ReachMatrix {
    private static final int ROWS_FOR_EACH = 16;
    private static final int ROWS_FOR_ANY = 64;
    private static final int MOST_TEXTS = 10_000;

    private final Map<String, Report> reports = new ConcurrentHashMap<>();
    /// Texts that many rows have in common.
    private final Map<String, String> texts = new ConcurrentHashMap<>();

    /// What one cluster said. Immutable.
    ///
    /// @param said when it said anything last
    /// @param age of what it knows, at that time
    private record Report(
            Map<ReachedAddress, PeerReach> rows, Map<Reachability, Integer> counts, Instant said, Duration age) {
        static final Report NOTHING = new Report(Map.of(), Map.of(), Instant.EPOCH, Duration.ZERO);

        Report confirmed(Instant now, Duration newAge) {
            return new Report(rows, counts, now, newAge);
        }

        Instant asOf() {
            return said.minus(age);
        }
    }

    /// @param uid of the cluster that says so
    /// @param members how many there are: nobody has much more to say
    void heard(String uid, FleetUp.Reach said, int members, Instant now) {
        var most = ROWS_FOR_ANY + ROWS_FOR_EACH * members;
        reports.compute(uid, (_, before) -> {
            var known = before == null || said.part() == FleetUp.ReachPart.FIRST ? Report.NOTHING : before;
            var age = said.age().orElse(Duration.ZERO);
            if (said.changed().isEmpty() && said.gone().isEmpty()) {
                return known.confirmed(now, age);
            }
            var rows = new TreeMap<>(known.rows());
            said.gone().forEach(rows::remove);
            said.changed().forEach(row -> {
                if (rows.size() < most || rows.containsKey(row.at())) {
                    rows.put(row.at(), shared(row));
                }
            });
            return new Report(rows, ReachCounts.of(rows.values()), now, age);
        });
    }

    private PeerReach shared(PeerReach row) {
        UnaryOperator<String> one = text -> texts.size() < MOST_TEXTS
                ? texts.computeIfAbsent(text, UnaryOperator.identity())
                : texts.getOrDefault(text, text);
        return new PeerReach(
                row.at(),
                row.verdict(),
                row.since(),
                row.roundTrip(),
                one.apply(row.seen()),
                one.apply(row.code()),
                row.reason());
    }

    /// It has left.
    void forget(String uid) {
        reports.remove(uid);
    }

    /// How much is known of each of these clusters.
    List<ReachCounts> counts(Collection<Registration> clusters) {
        return clusters.stream()
                .filter(Registration::isMember)
                .map(member -> Optional.ofNullable(reports.get(member.uid()))
                        .map(report -> new ReachCounts(member.name(), Optional.of(report.asOf()), report.counts()))
                        .orElseGet(() -> new ReachCounts(member.name(), Optional.empty(), Map.of())))
                .toList();
    }

    /// What is known, of each of these clusters.
    List<FleetReach> of(Collection<Registration> clusters) {
        var members = clusters.stream().filter(Registration::isMember).toList();
        var names = new TreeMap<Integer, String>();
        members.forEach(member -> names.put(member.handle(), member.name()));
        return members.stream()
                .map(member -> Optional.ofNullable(reports.get(member.uid()))
                        .map(report -> FleetReach.of(
                                member.name(), report.asOf(), report.rows().values(), names))
                        .orElseGet(() -> new FleetReach(member.name(), Optional.empty(), new TreeMap<>())))
                .sorted()
                .toList();
    }
}
