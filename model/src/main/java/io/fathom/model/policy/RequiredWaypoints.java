// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The waypoints of a workload that takes calls through them only. The control plane makes a DENY policy of it for all
/// who do not prove to be one of them, so every node proxy enforces it. The policy's name says which waypoints are
/// meant: nothing else has to be looked up to tell it from policies of people, or to say what it wants.
///
/// @param namespace of the workload
/// @param waypoints sorted; none if the workload wants one and has got none: then nobody may call it
public record RequiredWaypoints(String namespace, List<Waypoint> waypoints) {
    private static final String PREFIX = "fathom_require_waypoint";

    /// No name in Kubernetes has it, so it parts names and nobody's own policy is taken for one of these.
    private static final String SEPARATOR = "_";

    private static final int WORDS_OF_PREFIX = PREFIX.split(SEPARATOR, -1).length;

    /// A Gateway.
    public record Waypoint(String namespace, String name) implements Comparable<Waypoint> {
        @Override
        public int compareTo(Waypoint other) {
            var first = namespace.compareTo(other.namespace);
            return first == 0 ? name.compareTo(other.name) : first;
        }

        @Override
        public String toString() {
            return namespace + "/" + name;
        }
    }

    public RequiredWaypoints {
        waypoints = waypoints.stream().distinct().sorted().toList();
    }

    /// Whether that policy is one of these. Quick: it is asked for every policy of every workload.
    public static boolean isKey(String policy) {
        return policy.startsWith(PREFIX, policy.indexOf('/') + 1);
    }

    /// What the policy with that key wants, if it is one of these.
    public static Optional<RequiredWaypoints> parse(String policy) {
        if (!isKey(policy)) {
            return Optional.empty();
        }
        var slash = policy.indexOf('/');
        var words = Arrays.asList(policy.substring(slash + 1).split(SEPARATOR, -1));
        var names = words.subList(WORDS_OF_PREFIX, words.size());
        var waypoints = new ArrayList<Waypoint>();
        for (int i = 0; i + 1 < names.size(); i += 2) {
            waypoints.add(new Waypoint(names.get(i), names.get(i + 1)));
        }
        return Optional.of(new RequiredWaypoints(policy.substring(0, Math.max(slash, 0)), waypoints));
    }

    /// The name of the policy.
    public String name() {
        var name = new StringBuilder(PREFIX);
        waypoints.forEach(waypoint -> name.append(SEPARATOR)
                .append(waypoint.namespace)
                .append(SEPARATOR)
                .append(waypoint.name));
        return name.toString();
    }

    /// The key of the policy.
    public String key() {
        return namespace + "/" + name();
    }

    /// What a caller is told that comes another way.
    String message() {
        if (waypoints.isEmpty()) {
            return "calls must come through the waypoint, and there is none that can be used";
        }
        return "calls must come through waypoint "
                + String.join(" or ", waypoints.stream().map(Waypoint::toString).toList());
    }
}
