// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.refusal;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.manifest.ObjectKey;

/// Resources that proxies refuse as they are, with nothing in them that could be held back. Used by one thread at a
/// time, except what the flow reads.
public final class Refusals {
    private final Flow flow;
    private final Source<ResourceKey, Refusal> rows;
    private final Table<ProblemKey, ObjectProblem> problems;

    public Refusals(Flow flow) {
        this.flow = flow;
        rows = flow.source("envoy/refusals");
        problems = flow.deriveMany("envoy/objects-of-refusals", rows, (_, refusal) -> refusal.problems());
    }

    /// By the objects that they come from.
    public Table<ProblemKey, ObjectProblem> problems() {
        return problems;
    }

    /// Says it on the objects.
    void report(ResourceKey key, Refusal refusal) {
        flow.update(update -> update.put(rows, key, refusal));
    }

    /// No longer so.
    void withdraw(ResourceKey key) {
        if (flow.cut().of(rows).find(key).isPresent()) {
            flow.update(update -> update.remove(rows, key));
        }
    }

    /// The group is gone.
    void forget(ObjectKey group) {
        var cut = flow.cut();
        flow.update(update -> cut.of(rows).forEach((key, _) -> {
            if (key.group().equals(group)) {
                update.remove(rows, key);
            }
        }));
    }
}
