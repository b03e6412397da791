// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// The streams and the budget of each cluster, so that none takes more of the server than its share. What is too much
/// waits with whoever sends it, and the audit log names the cluster. Any thread.
final class MemberLoad {
    private static final int MOST_STREAMS = 8;
    private static final Duration FIRST_WORD = Duration.ofSeconds(15);

    private final InstantSource clock;
    private final FleetEvents events;
    private final Map<String, Set<ClusterSession>> streams = new HashMap<>();
    private final Map<String, MemberBudget> budgets = new HashMap<>();

    MemberLoad(InstantSource clock, FleetEvents events) {
        this.clock = clock;
        this.events = events;
    }

    /// @throws io.fathom.base.lang.ProblemException when the cluster has too many, or opens them too fast
    synchronized void opened(ClusterSession session, String name) {
        var now = clock.instant();
        var budget = budget(session.uid(), now);
        var open = streams.computeIfAbsent(session.uid(), _ -> new HashSet<>());
        if (open.size() >= MOST_STREAMS || budget.isUsedUp(now)) {
            throw FleetProblems.tooFast(name);
        }
        open.add(session);
        var _ = budget.spend(MemberBudget.OPENING, now);
    }

    synchronized void ended(ClusterSession session) {
        streams.computeIfPresent(session.uid(), (_, open) -> open.remove(session) && open.isEmpty() ? null : open);
    }

    /// How long the cluster has to wait after work of that size.
    Duration spend(ClusterSession session, String name, int cost) {
        var now = clock.instant();
        MemberBudget budget;
        synchronized (this) {
            budget = budget(session.uid(), now);
        }
        var wait = budget.spend(cost, now);
        if (!wait.isZero() && budget.isToBeNamed(now)) {
            events.alarm("cluster-floods", name, "from " + session.peer() + ", waits for " + wait.toMillis() + "ms");
            session.slowDown("more was said at once than one cluster may; the rest is read bit by bit");
        }
        return wait;
    }

    private MemberBudget budget(String uid, Instant now) {
        return budgets.computeIfAbsent(uid, _ -> new MemberBudget(now));
    }

    /// Ends streams that say nothing.
    void tick() {
        var before = clock.instant().minus(FIRST_WORD);
        Set<ClusterSession> silent = new HashSet<>();
        synchronized (this) {
            streams.values()
                    .forEach(open -> open.stream()
                            .filter(session ->
                                    !session.hasBegun() && session.since().isBefore(before))
                            .forEach(silent::add));
        }
        silent.forEach(ClusterSession::replace);
    }

    /// For how long clusters had to wait so far, by UID; those that never had to are not in it.
    synchronized Map<String, Duration> waited() {
        var found = new HashMap<String, Duration>();
        budgets.forEach((uid, budget) -> {
            if (!budget.waited().isZero()) {
                found.put(uid, budget.waited());
            }
        });
        return found;
    }
}
