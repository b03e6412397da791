// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.folder;

import io.fathom.tools.local.folder.Deployment.DeploymentKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Decides which pods a StatefulSet needs and which it can do without: one at a time, so that the others are there
/// meanwhile. A Pod that stands by itself is one with a single pod. Pure.
public final class NamedReplicaPlanner {
    /// A pod there is, or still is.
    public record Named(String name, String hash, ReplicaCondition condition) {}

    public enum ReplicaCondition {
        NOT_READY,
        READY,
        /// Its name cannot be given to another yet.
        LEAVING
    }

    /// What to do.
    public record Plan(List<String> start, List<String> stop) {
        public Plan {
            start = List.copyOf(start);
            stop = List.copyOf(stop);
        }
    }

    private NamedReplicaPlanner() {}

    /// Those that are too many go first, the last of them before the others; then those that are missing come, in their
    /// order; then those of an older template are replaced, beginning with the last.
    ///
    /// @param wanted the names, in their order
    /// @param there in the order of their creation
    public static Plan plan(DeploymentKind kind, List<String> wanted, String hash, List<Named> there) {
        var known = new HashMap<String, Named>();
        there.forEach(pod -> known.put(pod.name(), pod));
        var excess = there.stream()
                .filter(pod -> !wanted.contains(pod.name()))
                .map(Named::name)
                .toList();
        if (kind != DeploymentKind.STATEFUL_SET) {
            return new Plan(missing(wanted, known), both(excess, outdated(wanted, hash, known)));
        }
        for (var name : wanted) {
            var pod = known.get(name);
            if (pod == null) {
                return new Plan(List.of(name), last(excess));
            }
            if (pod.condition() == ReplicaCondition.NOT_READY && !pod.hash().equals(hash)) {
                return new Plan(
                        List.of(), both(last(excess), List.of(name))); // a template that never works is no obstacle
            }
            if (pod.condition() != ReplicaCondition.READY) {
                return new Plan(List.of(), last(excess));
            }
        }
        return new Plan(
                List.of(), both(last(excess), excess.isEmpty() ? last(outdated(wanted, hash, known)) : List.of()));
    }

    private static List<String> missing(List<String> wanted, Map<String, Named> known) {
        return wanted.stream().filter(name -> !known.containsKey(name)).toList();
    }

    private static List<String> outdated(List<String> wanted, String hash, Map<String, Named> known) {
        return wanted.stream()
                .filter(name -> {
                    var pod = known.get(name);
                    return pod != null && !pod.hash().equals(hash);
                })
                .toList();
    }

    private static List<String> last(List<String> names) {
        return names.isEmpty() ? List.of() : List.of(names.getLast());
    }

    private static List<String> both(List<String> first, List<String> second) {
        var all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }
}
