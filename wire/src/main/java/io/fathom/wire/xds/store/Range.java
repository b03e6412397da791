// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What changed from one cut to a later one, shared by all streams that made that step: merged once, and encoded once
/// for all of those that subscribe to everything. Thread-safe.
public final class Range {
    /// Which half of the changes: additions of policies must precede, removals must follow what refers to them.
    public enum Part {
        PUTS,
        REMOVALS,
        BOTH;

        public boolean puts() {
            return this != REMOVALS;
        }

        public boolean removals() {
            return this != PUTS;
        }
    }

    private final long from;
    private final StoreCut to;
    private final ResponseFactory factory;
    /// Null when the log did not reach: then the cut is compared with `from`.
    private final @Nullable List<ChangeLog.Step> steps;

    private final Map<XdsType, List<String>> removed;
    private final Map<XdsType, Changes> merged = new HashMap<>();
    private final Map<View, Map<Part, List<XdsResponse>>> encoded = new EnumMap<>(View.class);

    private Range(
            long from,
            StoreCut to,
            ResponseFactory factory,
            @Nullable List<ChangeLog.Step> steps,
            Map<XdsType, List<String>> removed) {
        this.from = from;
        this.to = to;
        this.factory = factory;
        this.steps = steps;
        this.removed = removed;
    }

    static Range ofSteps(long from, StoreCut to, ResponseFactory factory, List<ChangeLog.Step> steps) {
        return new Range(from, to, factory, steps, Map.of());
    }

    static Range ofComparison(long from, StoreCut to, ResponseFactory factory, Map<XdsType, List<String>> removed) {
        return new Range(from, to, factory, null, removed);
    }

    boolean covers(long start, StoreCut end) {
        return from == start && to.sequence() == end.sequence();
    }

    public synchronized Changes changes(XdsType type) {
        return merged.computeIfAbsent(type, this::merge);
    }

    private Changes merge(XdsType type) {
        if (steps != null) {
            return Changes.merged(steps.stream()
                    .flatMap(step -> Optional.ofNullable(step.changes().get(type)).stream())
                    .toList());
        }
        var catalog = to.catalog(type);
        var puts = new ArrayList<XdsResource>(from == 0 ? catalog.size() : 16);
        catalog.byName().forEach((_, resource) -> {
            if (resource.changedAt() > from) {
                puts.add(resource);
            }
        });
        // A name removed and added again since is a put.
        var gone = removed.getOrDefault(type, List.of()).stream()
                .filter(name -> catalog.get(name) == null)
                .toList();
        return new Changes(puts, gone);
    }

    /// Delta responses for a stream that subscribes to everything; none when nothing changed.
    public synchronized List<XdsResponse> responses(View view, Part part) {
        return encoded.computeIfAbsent(view, _ -> new EnumMap<>(Part.class)).computeIfAbsent(part, _ -> {
            var changes = changes(view.source());
            return factory.delta(
                    view.type(),
                    to,
                    part.puts() ? view.included(changes.puts()) : List.of(),
                    part.removals() ? changes.removed() : List.of(),
                    ResponseFactory.Aliases.OMITTED);
        });
    }
}
