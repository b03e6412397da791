package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.envoy.waypoint.ServicePart;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.xds.XdsType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Keeps a part that Envoys refuse from holding up the others: all services of a waypoint share one listener, which an
/// Envoy takes as a whole or not at all.
///
/// When it is refused, the parts that are new in it are suspects. Half of them are held back, what they were before
/// goes
/// on, and the answer to the rest tells in which half the culprit is. One that is found stays out until it changes, and
/// the objects that it was made from are told. Used by one thread at a time, except what the flow reads.
final class Quarantine {
    /// @param good what is served instead; empty for nothing
    /// @param refusal what is said about it; empty as long as it is only suspected
    private record Held(ObjectKey group, ServicePart suspect, Optional<ServicePart> good, Optional<Refusal> refusal) {}

    /// What is known of a group.
    private static final class State {
        private Map<PartKey, ServicePart> good = Map.of();
        private final Map<PartKey, ServicePart> untested = new LinkedHashMap<>();
    }

    private final Flow flow;
    private final Source<PartKey, Held> held;
    private final Index<ObjectKey, PartKey, Held> byGroup;
    private final Source<ResourceKey, Refusal> refusals;
    private final Table<String, Problem> problems;
    private final Map<ObjectKey, State> states = new HashMap<>();

    Quarantine(Flow flow, Table<PartKey, WaypointParts.Part> parts) {
        this.flow = flow;
        held = flow.source("envoy/held-back");
        byGroup = flow.index("envoy/held-back-by-group", held, row -> Set.of(row.group()));
        refusals = flow.source("envoy/refusals");
        problems = flow.join(
                "envoy/refused-objects",
                List.of(
                        flow.deriveMany(
                                "envoy/objects-of-refused-parts",
                                held,
                                (fetch, row) -> fetch.own(parts)
                                        .filter(part -> part.chains().equals(row.suspect()))
                                        .flatMap(_ -> row.refusal())
                                        .map(Refusal::problems)
                                        .orElse(Map.of())),
                        flow.deriveMany("envoy/objects-of-refusals", refusals, (_, refusal) -> refusal.problems())));
    }

    /// What was refused because of which object, by `Kind/namespace/name`.
    Table<String, Problem> problems() {
        return problems;
    }

    /// The parts as they may be sent.
    Map<PartKey, ServicePart> admitted(Fetch<?> fetch, ObjectKey group, List<ServicePart> parts) {
        var suspects = new HashMap<PartKey, Held>();
        fetch.all(byGroup, group).forEach(row -> suspects.put(key(group, row.suspect()), row));
        var result = new LinkedHashMap<PartKey, ServicePart>();
        for (var part : parts) {
            var key = key(group, part);
            var row = suspects.get(key);
            if (row == null || !row.suspect().equals(part)) {
                result.put(key, part);
            } else {
                row.good().ifPresent(good -> result.put(key, good));
            }
        }
        return result;
    }

    private static PartKey key(ObjectKey group, ServicePart part) {
        return new PartKey(group, part.service().service().key());
    }

    /// A proxy has taken these parts.
    void accepted(ObjectKey group, Map<PartKey, ServicePart> parts) {
        var state = states.computeIfAbsent(group, _ -> new State());
        state.good = parts;
        if (!state.untested.isEmpty()) {
            release(state, (state.untested.size() + 1) / 2);
        }
    }

    private void release(State state, int count) {
        var released = state.untested.keySet().stream().limit(count).toList();
        released.forEach(state.untested::remove);
        flow.update(update -> released.forEach(key -> update.remove(held, key)));
    }

    /// A proxy has refused these parts.
    void refused(ObjectKey group, Map<PartKey, ServicePart> parts, String error) {
        var state = states.computeIfAbsent(group, _ -> new State());
        var suspects = new ArrayList<Map.Entry<PartKey, ServicePart>>();
        parts.forEach((key, part) -> {
            if (!part.equals(state.good.get(key))) {
                suspects.add(Map.entry(key, part));
            }
        });
        if (suspects.isEmpty()) {
            report(whole(group), Refusal.ofGateway(group, error));
            return;
        }
        var culprit = suspects.size() == 1;
        var out = culprit ? suspects : suspects.subList(suspects.size() / 2, suspects.size());
        flow.update(update -> out.forEach(suspect -> {
            var good = Optional.ofNullable(state.good.get(suspect.getKey()));
            var refusal =
                    culprit ? Optional.of(Refusal.ofPart(suspect.getValue(), good, error)) : Optional.<Refusal>empty();
            update.put(held, suspect.getKey(), new Held(group, suspect.getValue(), good, refusal));
        }));
        if (!culprit) {
            out.forEach(suspect -> state.untested.put(suspect.getKey(), suspect.getValue()));
        }
    }

    /// What stands for all that is in the listener of a group.
    static ResourceKey whole(ObjectKey group) {
        return new ResourceKey(group, XdsType.LISTENER, "");
    }

    /// The group is gone, and what its proxies refused does not matter any more.
    void forget(ObjectKey group) {
        states.remove(group);
        var cut = flow.cut();
        flow.update(update -> {
            cut.of(held).forEach((key, row) -> {
                if (row.group().equals(group)) {
                    update.remove(held, key);
                }
            });
            cut.of(refusals).forEach((key, _) -> {
                if (key.group().equals(group)) {
                    update.remove(refusals, key);
                }
            });
        });
    }

    /// Says it on the objects.
    void report(ResourceKey key, Refusal refusal) {
        flow.update(update -> update.put(refusals, key, refusal));
    }

    /// No longer so.
    void withdraw(ResourceKey key) {
        if (flow.cut().of(refusals).find(key).isPresent()) {
            flow.update(update -> update.remove(refusals, key));
        }
    }
}
