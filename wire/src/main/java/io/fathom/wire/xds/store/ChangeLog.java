// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The latest steps, in order, and what was removed a while ago. Bounded in both: whoever is behind the steps compares
/// sequences with the current resources and reads the removals; whoever is behind the removals has to start again.
///
/// Used under the store's lock.
final class ChangeLog {
    record Step(long sequence, Map<XdsType, Changes> changes) {
        int size() {
            return changes.values().stream().mapToInt(Changes::size).sum();
        }
    }

    private record Tombstone(XdsType type, String name) {}

    private final StoreLimits limits;
    private final ArrayDeque<Step> steps = new ArrayDeque<>();
    private int kept;
    /// Oldest removal first: a name removed again moves to the end.
    private final LinkedHashMap<Tombstone, Long> tombstones = new LinkedHashMap<>();

    private long forgotten;

    ChangeLog(StoreLimits limits) {
        this.limits = limits;
    }

    void append(Step step) {
        steps.addLast(step);
        kept += step.size();
        while (steps.size() > limits.steps() || kept > limits.changes()) {
            kept -= steps.removeFirst().size();
            if (steps.isEmpty()) {
                break;
            }
        }
        step.changes().forEach((type, changes) -> {
            changes.puts().forEach(resource -> tombstones.remove(new Tombstone(type, resource.name())));
            changes.removed().forEach(name -> {
                var tombstone = new Tombstone(type, name);
                tombstones.remove(tombstone);
                tombstones.put(tombstone, step.sequence());
            });
        });
        while (tombstones.size() > limits.tombstones()) {
            forgotten = tombstones.pollFirstEntry().getValue();
        }
    }

    /// The steps after `from` up to `to`, oldest first; empty when the log does not reach back that far.
    Optional<List<Step>> between(long from, long to) {
        var found = new ArrayList<Step>();
        var newestFirst = steps.descendingIterator();
        while (newestFirst.hasNext()) {
            var step = newestFirst.next();
            if (step.sequence() <= from) {
                break;
            }
            if (step.sequence() <= to) {
                found.add(step);
            }
        }
        return found.size() == to - from ? Optional.of(found.reversed()) : Optional.empty();
    }

    /// The names of each type removed after `from` up to `to`; empty when removals after `from` may be forgotten.
    Optional<Map<XdsType, List<String>>> removedBetween(long from, long to) {
        if (from < forgotten) {
            return Optional.empty();
        }
        var found = new LinkedHashMap<XdsType, List<String>>();
        for (var tombstone : tombstones.sequencedEntrySet().reversed()) {
            if (tombstone.getValue() <= from) {
                break;
            }
            if (tombstone.getValue() <= to) {
                found.computeIfAbsent(tombstone.getKey().type(), _ -> new ArrayList<>())
                        .add(tombstone.getKey().name());
            }
        }
        return Optional.of(found);
    }
}
