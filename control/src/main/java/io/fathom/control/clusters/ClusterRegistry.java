// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.clusters;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ambient.RemoteClusters;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The other clusters of the mesh. Whoever knows of some says which it wants, again whenever that changes; what is
/// joined follows. Of two that want the same cluster the one that has it keeps it, else the first counts.
///
/// Any thread may call any method. [#want] returns when what has to go is gone; what comes is read meanwhile.
public final class ClusterRegistry implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ClusterRegistry.class);

    private final String home;
    private final RemoteClusters mesh;
    private final Duration patience;
    private final LongAdder timeouts = new LongAdder();
    private final Map<String, ClusterMember> members = new ConcurrentSkipListMap<>();
    /// Guarded by this.
    private final Map<String, List<ClusterClaim>> claims = new LinkedHashMap<>();

    private volatile List<ManifestProblem> refused = List.of();
    private boolean closed; // guarded by this

    /// @param home the id of our own cluster
    /// @param patience how long a start waits for a cluster
    public ClusterRegistry(String home, RemoteClusters mesh, Duration patience) {
        this.home = home;
        this.mesh = mesh;
        this.patience = patience;
    }

    /// All that somebody wants now, in place of what it wanted before.
    public synchronized void want(String claimant, List<ClusterClaim> wanted) {
        if (closed) {
            return;
        }
        claims.put(claimant, List.copyOf(wanted));
        var found = new ArrayList<ManifestProblem>();
        var chosen = choose(found);
        for (var cluster : List.copyOf(members.keySet())) {
            if (!chosen.containsKey(cluster)) {
                leave(cluster);
            }
        }
        chosen.values().forEach(claim -> {
            switch (claim) {
                case ClusterClaim.Broken broken ->
                    found.add(problem(broken.cluster(), broken.origin(), broken.problem()));
                case ClusterClaim.Usable usable -> bring(usable, found);
            }
        });
        refused = List.copyOf(found);
    }

    /// Waits until each cluster that is wanted now has been read, or has taken too long.
    public void await() throws InterruptedException {
        for (var member : members.values()) {
            member.await();
        }
    }

    /// How it goes, by id.
    public List<ClusterReport> reports() {
        return members.values().stream().map(ClusterMember::report).toList();
    }

    /// How often a cluster was not read in time.
    public long timeouts() {
        return timeouts.sum();
    }

    /// What cannot be joined, what does not answer, and objects that cannot be read; each names its cluster.
    public List<ManifestProblem> problems() {
        var problems = new ArrayList<>(refused);
        members.forEach((cluster, member) -> {
            var report = member.report();
            stateProblem(report).ifPresent(found -> problems.add(problem(cluster, report.origin(), found)));
            member.objectProblems().stream()
                    .filter(ClusterRegistry::concernsUs)
                    .forEach(found -> problems.add(new ManifestProblem(
                            found.severity(),
                            found.file(),
                            found.line(),
                            found.object().isEmpty() ? "Cluster " + cluster : found.object() + " of cluster " + cluster,
                            found.field(),
                            found.problem())));
        });
        return problems;
    }

    private Map<String, ClusterClaim> choose(List<ManifestProblem> found) {
        var chosen = new TreeMap<String, ClusterClaim>();
        for (var claim : claims.values().stream().flatMap(List::stream).toList()) {
            if (claim.cluster().equals(home)) {
                log.atInfo().addKeyValue("origin", claim.origin()).log("our own cluster is not joined again");
                continue;
            }
            var rival = chosen.putIfAbsent(claim.cluster(), claim);
            if (rival != null) {
                var keeps = has(claim) ? claim : rival;
                chosen.put(claim.cluster(), keeps);
                found.add(duplicate(has(claim) ? rival : claim, keeps));
            }
        }
        return chosen;
    }

    private boolean has(ClusterClaim claim) {
        var member = members.get(claim.cluster());
        return member != null && member.origin().equals(claim.origin());
    }

    private void bring(ClusterClaim.Usable claim, List<ManifestProblem> found) {
        try {
            var member = members.get(claim.cluster());
            if (member == null) {
                var joining = new ClusterMember(claim, mesh, patience, timeouts::increment);
                members.put(claim.cluster(), joining);
                try {
                    joining.join();
                } catch (ProblemException e) {
                    members.remove(claim.cluster());
                    throw e;
                }
                log.atInfo()
                        .addKeyValue("cluster", claim.cluster())
                        .addKeyValue("origin", claim.origin())
                        .log("cluster joins");
            } else if (member.fingerprint().equals(claim.fingerprint())) {
                member.moved(claim.origin());
            } else {
                member.renew(claim);
                log.atInfo().addKeyValue("cluster", claim.cluster()).log("cluster is read another way");
            }
        } catch (ProblemException e) {
            found.add(problem(claim.cluster(), claim.origin(), e.problem()));
        }
    }

    private void leave(String cluster) {
        var member = members.remove(cluster);
        if (member != null) {
            member.leave();
            log.atInfo().addKeyValue("cluster", cluster).log("cluster has left");
        }
    }

    private Optional<Problem> stateProblem(ClusterReport report) {
        var cause = report.trouble().map(found -> ": " + found.message()).orElse("");
        var fix = report.trouble()
                .map(Problem::fix)
                .filter(text -> !text.isEmpty())
                .orElse("check that its API server can be reached from here");
        if (report.state() == SyncState.TIMEOUT) {
            return Optional.of(new Problem(
                    "remote-cluster-timeout",
                    "cluster " + report.cluster() + " was not read within " + patience.toSeconds()
                            + " s, nothing of it is served" + cause,
                    fix,
                    Problem.Origin.SERVER,
                    Problem.Retry.SENSIBLE));
        }
        return report.trouble()
                .map(_ -> new Problem(
                        "remote-cluster-stale",
                        "cluster " + report.cluster() + " does not answer, what is served of it is "
                                + report.age().toSeconds() + " s old" + cause,
                        fix,
                        Problem.Origin.SERVER,
                        Problem.Retry.SENSIBLE));
    }

    /// Other clusters have objects that mean nothing to us.
    private static boolean concernsUs(ManifestProblem problem) {
        var kind = problem.object().split(" ", 2)[0];
        return kind.isEmpty()
                || RemoteClusters.kinds().stream()
                        .anyMatch(type -> type.getSimpleName().equals(kind + "Manifest"));
    }

    private static ManifestProblem duplicate(ClusterClaim loser, ClusterClaim winner) {
        return problem(
                loser.cluster(),
                loser.origin(),
                Problem.ofInput(
                        "remote-cluster-duplicate",
                        loser.origin() + " names cluster " + loser.cluster() + ", which " + winner.origin()
                                + " has joined already",
                        "keep one of both"));
    }

    private static ManifestProblem problem(String cluster, String origin, Problem problem) {
        return new ManifestProblem("", 0, "Cluster " + cluster + " (" + origin + ")", "", problem);
    }

    /// How many clusters are in each state, for metrics: by cluster and word.
    public Map<List<String>, Integer> states() {
        return members.entrySet().stream()
                .collect(Collectors.toMap(
                        entry -> List.of(
                                entry.getKey(),
                                "remote",
                                entry.getValue().report().state().word()),
                        _ -> 1,
                        (one, _) -> one,
                        HashMap::new));
    }

    /// The clusters that are joined.
    public Set<String> clusters() {
        return Set.copyOf(members.keySet());
    }

    public int size() {
        return members.size();
    }

    /// Leaves what was taken in as it is: whoever closes this ends with it.
    @Override
    public synchronized void close() {
        closed = true;
        members.values().forEach(ClusterMember::end);
    }
}
