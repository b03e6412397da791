// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/// The rows of a table by group; a row may be in several. Used by the flow's writer only.
public final class Index<G, K extends Comparable<? super K>, V> extends Stage {
    private final Table<K, V> input;
    private final Function<V, Set<G>> groups;
    private final Map<G, CompactSet<K>> members = new HashMap<>();
    private Set<G> touchedGroups = new HashSet<>();

    Index(String name, int order, Table<K, V> input, Function<V, Set<G>> groups) {
        super(name, order);
        this.input = input;
        this.groups = groups;
    }

    /// The groups in which a member came, went or changed during this update.
    Set<G> touchedGroups() {
        return touchedGroups;
    }

    boolean isEmpty(G group) {
        return !members.containsKey(group);
    }

    List<V> members(G group) {
        var keys = members.get(group);
        if (keys == null) {
            return List.of();
        }
        var sorted = keys.toList();
        sorted.sort(null);
        var values = new ArrayList<V>(sorted.size());
        for (var key : sorted) {
            var value = input.rows().get(key);
            if (value != null) {
                values.add(value);
            }
        }
        return values;
    }

    @Override
    void settle() {
        for (var key : input.touched()) {
            var before = input.before(key);
            var after = input.rows().get(key);
            var left = before == null ? Set.<G>of() : groups.apply(before);
            var joined = after == null ? Set.<G>of() : groups.apply(after);
            touchedGroups.addAll(left);
            touchedGroups.addAll(joined);
            for (var group : left) {
                if (!joined.contains(group)) {
                    leave(group, key);
                }
            }
            for (var group : joined) {
                members.computeIfAbsent(group, _ -> new CompactSet<>()).add(key);
            }
        }
    }

    private void leave(G group, K key) {
        var keys = members.get(group);
        if (keys != null) {
            keys.remove(key);
            if (keys.isEmpty()) {
                members.remove(group);
            }
        }
    }

    @Override
    void endUpdate() {
        if (!touchedGroups.isEmpty()) {
            touchedGroups = new HashSet<>(); // see Table
        }
    }
}
