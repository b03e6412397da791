// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.refusal;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Keeps a part that Envoys refuse from holding up the others: all services of a waypoint share one listener, all
/// routes of a service or of a gateway's port one table, which an Envoy takes as a whole or not at all.
///
/// When it is refused, the parts that are new in it are suspects. Half of them are held back, what they were before
/// goes on, and the answer to the rest tells in which half the culprit is. One that is found stays out until it
/// changes, and the objects that it was made from are told. Used by one thread at a time, except what the flow reads.
public final class Quarantine {
    /// @param good what is served instead; empty for nothing
    /// @param refusal what is said about it; empty as long as it is only suspected
    private record Held(PartKey key, Ingredient suspect, Optional<Ingredient> good, Optional<Refusal> refusal) {}

    /// What is known of a resource.
    private static final class State {
        private Map<PartKey, Ingredient> good = Map.of();
        private final Map<PartKey, Ingredient> untested = new LinkedHashMap<>();
        private final Map<PartKey, Held> culprits = new HashMap<>();
    }

    private final Flow flow;
    private final Source<PartKey, Held> held;
    private final Index<ResourceKey, PartKey, Held> byResource;
    private final Map<ResourceKey, State> states = new HashMap<>();

    public Quarantine(Flow flow) {
        this.flow = flow;
        held = flow.source("envoy/held-back");
        byResource = flow.index(
                "envoy/held-back-by-resource", held, row -> Set.of(row.key().resource()));
    }

    /// What was refused because of which object.
    ///
    /// @param current the parts as users want them
    public Table<ProblemKey, ObjectProblem> problems(Table<PartKey, Ingredient> current) {
        return flow.deriveMany(
                "envoy/refused-objects",
                held,
                (fetch, row) -> fetch.own(current)
                        .filter(part -> part.equals(row.suspect()))
                        .flatMap(_ -> row.refusal())
                        .map(Refusal::problems)
                        .orElse(Map.of()));
    }

    /// The parts of a resource as they may be sent.
    Map<PartKey, Ingredient> admitted(Fetch<?> fetch, ResourceKey resource, Map<PartKey, Ingredient> parts) {
        var suspects = new HashMap<PartKey, Held>();
        fetch.all(byResource, resource).forEach(row -> suspects.put(row.key(), row));
        if (suspects.isEmpty()) {
            return parts;
        }
        var result = new LinkedHashMap<PartKey, Ingredient>();
        parts.forEach((key, part) -> {
            var row = suspects.get(key);
            if (row == null || !row.suspect().equals(part)) {
                result.put(key, part);
            } else {
                row.good().ifPresent(good -> result.put(key, good));
            }
        });
        return result;
    }

    /// A proxy has taken the resource with these parts.
    void accepted(ResourceKey resource, Map<PartKey, Ingredient> parts) {
        var state = states.computeIfAbsent(resource, _ -> new State());
        state.good = parts;
        forget(state, parts);
        if (!state.untested.isEmpty()) {
            release(state, (state.untested.size() + 1) / 2);
        }
    }

    /// Culprits that have been changed for the better: should they come again, what is good now goes on.
    private void forget(State state, Map<PartKey, Ingredient> parts) {
        var changed = state.culprits.values().stream()
                .filter(culprit -> Optional.ofNullable(parts.get(culprit.key()))
                        .filter(part -> !culprit.good().equals(Optional.of(part)))
                        .isPresent())
                .map(Held::key)
                .toList();
        if (!changed.isEmpty()) {
            changed.forEach(state.culprits::remove);
            flow.update(update -> changed.forEach(key -> update.remove(held, key)));
        }
    }

    private void release(State state, int count) {
        var released = state.untested.keySet().stream().limit(count).toList();
        released.forEach(state.untested::remove);
        flow.update(update -> released.forEach(key -> update.remove(held, key)));
    }

    /// A proxy has refused the resource with these parts. Tells whether one of them may be why.
    boolean refused(ResourceKey resource, Map<PartKey, Ingredient> parts, String error) {
        var state = states.computeIfAbsent(resource, _ -> new State());
        var suspects = new ArrayList<Map.Entry<PartKey, Ingredient>>();
        parts.forEach((key, part) -> {
            if (!part.equals(state.good.get(key))) {
                suspects.add(Map.entry(key, part));
            }
        });
        if (suspects.isEmpty()) {
            return false;
        }
        var culprit = suspects.size() == 1;
        var out = culprit ? suspects : suspects.subList(suspects.size() / 2, suspects.size());
        flow.update(update -> out.forEach(suspect -> {
            var good = Optional.ofNullable(state.good.get(suspect.getKey()));
            var refusal = culprit ? Optional.of(Refusal.of(suspect.getValue(), error)) : Optional.<Refusal>empty();
            var row = new Held(suspect.getKey(), suspect.getValue(), good, refusal);
            update.put(held, suspect.getKey(), row);
            if (culprit) {
                state.culprits.put(suspect.getKey(), row);
            }
        }));
        if (!culprit) {
            out.forEach(suspect -> state.untested.put(suspect.getKey(), suspect.getValue()));
        }
        return true;
    }

    /// The group is gone, and what its proxies refused does not matter any more.
    void forget(ObjectKey group) {
        states.keySet().removeIf(resource -> resource.group().equals(group));
        var cut = flow.cut();
        flow.update(update -> cut.of(held).forEach((key, _) -> {
            if (key.resource().group().equals(group)) {
                update.remove(held, key);
            }
        }));
    }
}
