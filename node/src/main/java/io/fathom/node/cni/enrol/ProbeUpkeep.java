// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.enrol;

import io.fathom.base.lang.ProblemException;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.rules.ProbeSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// Brings the set of probed addresses in line with the pods that are held. Blocks; for one thread at a time.
///
/// @param families addresses of others are not in the set
public record ProbeUpkeep(ProbeSet probes, Set<Ip.Family> families) {
    public ProbeUpkeep {
        families = Set.copyOf(families);
    }

    /// Adds what is missing and takes out what belongs to pods that are not there any more; answers how many that
    /// were. As long as a pod is held whose address is not known, nothing is taken out: it might be that pod's.
    ///
    /// @param pods asked after the set was read: a pod that comes meanwhile must not look like one that went
    public int sync(Supplier<List<PodState>> pods) throws ProblemException {
        var there = probes.entries();
        var states = pods.get();
        var uids = states.stream().map(state -> state.pod().uid()).collect(Collectors.toSet());
        var complete = states.stream()
                .flatMap(state -> state.held().stream())
                .noneMatch(held -> held.addresses().isEmpty());
        var changes = 0;
        for (var entry : wanted(states).entrySet()) {
            if (!entry.getValue().equals(there.get(entry.getKey()))) {
                probes.put(entry.getKey(), entry.getValue());
                changes++;
            }
        }
        for (var entry : there.entrySet()) {
            if (complete && !uids.contains(entry.getValue())) {
                probes.remove(entry.getKey(), entry.getValue());
                changes++;
            }
        }
        return changes;
    }

    private Map<Ip, String> wanted(List<PodState> states) {
        Map<Ip, String> wanted = new HashMap<>();
        for (var state : states) {
            state.held()
                    .filter(held -> held.step().includes(Step.PROBES))
                    .ifPresent(held -> held.addresses().stream()
                            .filter(ip -> families.contains(ip.family()))
                            .forEach(ip -> wanted.put(ip, held.pod().uid())));
        }
        return wanted;
    }
}
