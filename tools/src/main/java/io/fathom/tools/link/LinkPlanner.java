// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.tools.link.LinkStep.LinkAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Decides which Gateways clusters need to find each other. Objects of others are never touched: where somebody else's
/// Gateway stands for a cluster, that one counts. Pure.
final class LinkPlanner {
    /// What becomes of our Gateways for clusters that are not named.
    enum Strays {
        LEFT,
        REMOVED
    }

    private LinkPlanner() {}

    /// All pairs.
    static List<LinkStep> link(List<ClusterFacts> clusters, Strays strays) {
        var steps = new ArrayList<LinkStep>();
        for (var here : clusters) {
            for (var there : clusters) {
                if (!there.equals(here)) {
                    pair(here, there, steps);
                }
            }
            strays(here, clusters, strays, steps);
        }
        return steps;
    }

    private static void pair(ClusterFacts here, ClusterFacts there, List<LinkStep> steps) {
        var standing =
                here.peers().stream().filter(peer -> isFor(peer, there.id())).toList();
        var rival = standing.stream().filter(peer -> !peer.isOwned()).findFirst();
        var wanted = shapes(there);
        for (var shape : wanted) {
            steps.add(rival.map(other -> new LinkStep(
                            here.context(),
                            LinkAction.WITHHELD,
                            shape,
                            other.path() + " stands for it, which is not ours"))
                    .orElseGet(() -> step(here, shape)));
        }
        for (var peer : standing) {
            if (peer.isOwned()
                    && (rival.isPresent()
                            || wanted.stream().noneMatch(shape -> shape.path().equals(peer.path())))) {
                steps.add(new LinkStep(
                        here.context(),
                        LinkAction.REMOVED,
                        peer,
                        rival.isPresent() ? "" : "there is no such gateway any more"));
            }
        }
    }

    /// What stands for a cluster in all others.
    static List<PeerShape> shapes(ClusterFacts cluster) {
        var shapes = new ArrayList<PeerShape>();
        for (var gateway : cluster.gateways()) {
            shapes.add(PeerShape.of(cluster, gateway, shapes.size() + 1));
        }
        return shapes;
    }

    private static LinkStep step(ClusterFacts here, PeerShape shape) {
        var there = here.peers().stream()
                .filter(peer -> peer.path().equals(shape.path()))
                .findFirst();
        if (there.isEmpty()) {
            return new LinkStep(here.context(), LinkAction.CREATED, shape, "");
        }
        var before = there.get();
        if (!before.isOwned()) {
            return new LinkStep(
                    here.context(), LinkAction.WITHHELD, shape, "there is a Gateway of that name, which is not ours");
        }
        return before.equals(shape)
                ? new LinkStep(here.context(), LinkAction.UNCHANGED, shape, "")
                : new LinkStep(here.context(), LinkAction.CHANGED, shape, difference(before, shape));
    }

    /// In words.
    static String difference(PeerShape before, PeerShape after) {
        var parts = new ArrayList<String>();
        if (!before.addresses().equals(after.addresses())) {
            parts.add("address " + before.addresses() + " to " + after.addresses());
        }
        differs(before.labels(), after.labels(), parts);
        differs(before.annotations(), after.annotations(), parts);
        if (!before.listeners().equals(after.listeners())) {
            parts.add("listeners");
        }
        return String.join(", ", parts);
    }

    private static void differs(Map<String, String> before, Map<String, String> after, List<String> parts) {
        after.forEach((key, value) -> {
            var old = before.getOrDefault(key, "none");
            if (!old.equals(value)) {
                parts.add(key + " " + old + " to " + value);
            }
        });
    }

    private static void strays(ClusterFacts here, List<ClusterFacts> clusters, Strays strays, List<LinkStep> steps) {
        var named = clusters.stream().map(ClusterFacts::id).collect(Collectors.toSet());
        for (var peer : here.peers()) {
            if (peer.isOwned()
                    && (!named.contains(peer.cluster()) || peer.cluster().equals(here.id()))) {
                var remove = strays == Strays.REMOVED || peer.cluster().equals(here.id());
                steps.add(new LinkStep(
                        here.context(),
                        remove ? LinkAction.REMOVED : LinkAction.LEFT_ALONE,
                        peer,
                        "cluster " + peer.cluster() + " is not among those that are linked"));
            }
        }
    }

    /// Everything of ours that stands for one of those clusters.
    ///
    /// @param gone ids; those of the clusters themselves count as well
    static List<LinkStep> unlink(List<ClusterFacts> clusters, Set<String> gone) {
        var steps = new ArrayList<LinkStep>();
        for (var here : clusters) {
            for (var peer : here.peers()) {
                if (peer.isOwned() && gone.contains(peer.cluster())) {
                    steps.add(new LinkStep(here.context(), LinkAction.REMOVED, peer, ""));
                }
            }
        }
        return steps;
    }

    private static boolean isFor(PeerShape peer, String cluster) {
        return peer.cluster().equals(cluster);
    }
}
