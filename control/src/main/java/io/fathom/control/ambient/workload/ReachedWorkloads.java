// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.workload;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.network.GatewayVerdicts;
import io.fathom.model.mesh.Workload;
import io.fathom.model.peering.Reachability;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

/// What is behind gateways, as far as these can be reached: behind one that is suspect there is less, and behind one
/// that is down nothing is healthy, while the service has another way. Without another way all stays as it is: whoever
/// calls then may find that we were wrong.
public final class ReachedWorkloads {
    private static final int SUSPECT_SHARE = 10;

    private final GatewayVerdicts verdicts;
    private final Index<String, String, FoldedWorkload> byService;
    private final BiPredicate<Fetch<?>, String> near;
    private final Table<String, Workload> table;

    /// @param near whether a service has endpoints on our own network that are ready
    public ReachedWorkloads(
            Flow flow,
            Table<String, FoldedWorkload> folded,
            GatewayVerdicts verdicts,
            BiPredicate<Fetch<?>, String> near) {
        this.verdicts = verdicts;
        this.near = near;
        byService = flow.index(
                "reached/by-service",
                folded,
                found -> found.workload().services().keySet());
        table = flow.derive("reached", folded, (fetch, found) -> Optional.of(reached(fetch, found)));
    }

    /// By uid.
    public Table<String, Workload> table() {
        return table;
    }

    private Workload reached(Fetch<?> fetch, FoldedWorkload found) {
        var workload = found.workload();
        return switch (verdicts.of(fetch, found.way())) {
            case REACHABLE, UNKNOWN -> workload;
            case SUSPECT -> workload.able(Math.max(1, workload.capacity() / SUSPECT_SHARE), workload.health());
            case DOWN ->
                workload.health() == Workload.Health.HEALTHY
                                && workload.services().keySet().stream().allMatch(service -> hasOther(fetch, service))
                        ? workload.able(workload.capacity(), Workload.Health.UNHEALTHY)
                        : workload;
        };
    }

    private boolean hasOther(Fetch<?> fetch, String service) {
        return near.test(fetch, service)
                || fetch.all(byService, service).stream()
                        .anyMatch(other -> other.workload().health() == Workload.Health.HEALTHY
                                && verdicts.of(fetch, other.way()) != Reachability.DOWN);
    }

    /// The services that a workload which is ready belongs to, for indexes of what is near.
    public static Set<String> readyFor(Workload workload) {
        return workload.health() == Workload.Health.HEALTHY
                ? workload.services().keySet()
                : Set.of();
    }
}
