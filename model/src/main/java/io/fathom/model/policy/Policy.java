// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// An [Authorization] made ready to be asked many times: sets instead of lists, ranges instead of blocks.
public final class Policy {
    private final Authorization source;
    private final String key;
    private final boolean wantsWaypoint;
    private final Condition[][][][] groups;

    private Policy(Authorization source, Condition[][][][] groups) {
        this.source = source;
        this.key = source.key();
        this.wantsWaypoint = RequiredWaypoints.isKey(key);
        this.groups = groups;
    }

    public static Policy compile(Authorization source) {
        var groups = source.groups().stream()
                .map(group -> group.rules().stream()
                        .map(rules ->
                                rules.matches().stream().map(Condition::of).toArray(Condition[][]::new))
                        .toArray(Condition[][][]::new))
                .toArray(Condition[][][][]::new);
        return new Policy(source, groups);
    }

    /// What it was made from.
    public Authorization source() {
        return source;
    }

    public String key() {
        return key;
    }

    boolean isDryRun() {
        return source.dryRun() == Authorization.DryRun.YES;
    }

    boolean denies() {
        return source.action() == Authorization.Action.DENY;
    }

    /// Whether it denies all but waypoints.
    boolean wantsWaypoint() {
        return wantsWaypoint;
    }

    /// The first group that holds, and which of its alternatives made it so; null when none does.
    @Nullable
    Matched match(Attempt attempt) {
        for (int group = 0; group < groups.length; group++) {
            if (holds(groups[group], attempt)) {
                return new Matched(key, source.action(), group, alternatives(groups[group], attempt));
            }
        }
        return null;
    }

    private static boolean holds(Condition[][][] group, Attempt attempt) {
        for (var rules : group) {
            if (rules.length > 0 && firstMatch(rules, attempt) < 0) {
                return false;
            }
        }
        return true;
    }

    private static List<Integer> alternatives(Condition[][][] group, Attempt attempt) {
        var found = new Integer[group.length];
        for (int i = 0; i < group.length; i++) {
            found[i] = firstMatch(group[i], attempt);
        }
        return List.of(found);
    }

    private static int firstMatch(Condition[][] matches, Attempt attempt) {
        for (int i = 0; i < matches.length; i++) {
            if (matches[i].length > 0 && allHold(matches[i], attempt)) {
                return i;
            }
        }
        return -1;
    }

    private static boolean allHold(Condition[] conditions, Attempt attempt) {
        for (var condition : conditions) {
            if (!condition.holds(attempt)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return "policy " + key;
    }
}
