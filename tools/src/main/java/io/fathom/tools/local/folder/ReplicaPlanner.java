// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// Decides which pods a Deployment needs and which it can do without. Pure.
public final class ReplicaPlanner {
    /// A pod there is.
    ///
    /// @param order of its creation
    public record Replica(String name, String hash, Readiness readiness, int order) {}

    public enum Readiness {
        NOT_READY,
        READY
    }

    /// What to do.
    public record Plan(int start, List<String> stop) {
        public Plan {
            stop = List.copyOf(stop);
        }
    }

    private ReplicaPlanner() {}

    /// Pods of an older template go once those of the new one are ready: nobody is left without an answer.
    public static Plan plan(int wanted, String hash, List<Replica> there) {
        var current =
                there.stream().filter(replica -> replica.hash().equals(hash)).toList();
        var old = there.stream().filter(replica -> !replica.hash().equals(hash)).toList();
        var ready = current.stream()
                .filter(replica -> replica.readiness() == Readiness.READY)
                .count();
        var excess = current.stream()
                .sorted(Comparator.comparing(Replica::readiness)
                        .thenComparing(Comparator.comparingInt(Replica::order).reversed()))
                .limit(Math.max(0, current.size() - wanted));
        var replaced = ready >= wanted ? old.stream() : Stream.<Replica>of();
        return new Plan(
                Math.max(0, wanted - current.size()),
                Stream.concat(excess, replaced).map(Replica::name).toList());
    }
}
