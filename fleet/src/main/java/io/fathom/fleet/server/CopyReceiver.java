// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.model.fleet.FactVersion;
import io.fathom.model.fleet.FleetUp;
import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.OriginCopy;
import io.fathom.model.fleet.ServiceFact;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Takes in what another management server has heard. Each cluster has one writer, so the higher version wins; a change
/// that does not follow what is known here is not taken, and the cluster is asked for as a whole. For one thread.
final class CopyReceiver {
    /// Where copies go.
    interface CopyTarget {
        /// A cluster by its number, unless it has left.
        Optional<Registration> member(int origin);

        FactVersion version(int origin);

        /// It has said that.
        void change(Registration origin, FleetUp said);

        /// That is all it has said.
        void whole(Registration origin, FleetUp.Services all, OriginCopy.CopyPart end);
    }

    private final CopyTarget target;
    private final Consumer<FleetUp> out;
    private final Map<Integer, List<FleetUp.Services>> parts = new HashMap<>();
    private final Set<Integer> asked = new HashSet<>();
    private final Set<Integer> unknown = new HashSet<>();

    CopyReceiver(CopyTarget target, Consumer<FleetUp> out) {
        this.target = target;
        this.out = out;
    }

    /// What the stream begins with.
    static FleetUp.Hello hello(String id, ServiceDirectory directory) {
        return new FleetUp.Hello(id, "fathom-fleet", "server", directory.marks(), 0, Interest.ALL);
    }

    void take(OriginCopy copy) {
        var origin = copy.origin();
        var member = target.member(origin);
        if (member.isEmpty()) {
            parts.remove(origin);
            unknown.add(origin); // whoever writes members was faster than they came here
            return;
        }
        switch (copy.part()) {
            case CHANGE -> change(member.get(), copy);
            case WHOLE -> {
                if (copy.said() instanceof FleetUp.Services part) {
                    var known = parts.computeIfAbsent(origin, _ -> new ArrayList<>());
                    if (!known.isEmpty() && !known.getFirst().version().equals(part.version())) {
                        known.clear();
                    }
                    known.add(part);
                }
            }
            case WHOLE_SETTLED, WHOLE_UNSETTLED -> {
                asked.remove(origin);
                var facts = new ArrayList<ServiceFact>();
                var version = version(copy.said());
                Optional.ofNullable(parts.remove(origin))
                        .ifPresent(all -> all.stream()
                                .filter(part -> part.version().equals(version))
                                .forEach(part -> facts.addAll(part.changed())));
                target.whole(
                        member.get(),
                        new FleetUp.Services(facts, List.of(), FleetUp.ServicePart.SNAPSHOT, version),
                        copy.part());
            }
        }
    }

    private void change(Registration member, OriginCopy copy) {
        var known = target.version(copy.origin());
        if (version(copy.said()).compareTo(known) <= 0) {
            return;
        }
        if (copy.before().equals(known)) {
            target.change(member, copy.said());
        } else if (asked.add(copy.origin())) {
            out.accept(new FleetUp.Repair(List.of(copy.origin())));
        }
    }

    /// The version of what a cluster says of its services.
    static FactVersion version(FleetUp said) {
        return switch (said) {
            case FleetUp.Services services -> services.version();
            case FleetUp.Weights weights -> weights.version();
            case FleetUp.ExportsEnd end -> end.version();
            case FleetUp.Gateways gateways -> gateways.version();
            case FleetUp.Hello _, FleetUp.Interested _, FleetUp.Digest _, FleetUp.Repair _, FleetUp.Reach _ ->
                FactVersion.NONE;
        };
    }

    /// Asks for clusters that were not known when something came of them. To be called every second.
    void tick() {
        var now = unknown.stream()
                .filter(origin -> target.member(origin).isPresent())
                .toList();
        if (!now.isEmpty()) {
            now.forEach(unknown::remove);
            out.accept(new FleetUp.Repair(now));
        }
    }
}
