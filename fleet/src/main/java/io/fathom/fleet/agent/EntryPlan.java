// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.Problem;
import io.fathom.fleet.agent.EntryObject.OriginService;
import io.fathom.model.peering.ClusterSummary;
import io.fathom.model.peering.ServiceSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Which entries a stock istiod has to have. Pure.
///
/// @param objects that have to be there
/// @param left how many more there would be
record EntryPlan(List<EntryObject> objects, int left) {
    /// What an API server and a stock istiod bear.
    static final int MOST = 5000;

    EntryPlan {
        objects = List.copyOf(objects);
    }

    /// What one cluster has.
    record EntryOrigin(ClusterSummary cluster, Map<String, ServiceSummary> services) {
        EntryOrigin {
            services = Map.copyOf(services);
        }
    }

    /// Services in the order of their names, as long as all of one fits in.
    ///
    /// @param network ours: what is on it has addresses of its own, and no gateway
    static EntryPlan of(String namespace, String network, Map<String, EntryOrigin> origins, int most) {
        var services = new TreeMap<String, List<OriginService>>();
        new TreeMap<>(origins).values().forEach(origin -> {
            if (!origin.cluster().network().equals(network)) {
                origin.services()
                        .forEach((path, service) -> services.computeIfAbsent(path, _ -> new ArrayList<>())
                                .add(new OriginService(origin.cluster(), service)));
            }
        });
        var objects = new ArrayList<EntryObject>();
        var left = 0;
        for (var having : services.values()) {
            if (objects.size() + 1 + having.size() > most) {
                left += 1 + having.size();
                continue;
            }
            objects.add(EntryObject.service(namespace, having));
            having.stream()
                    .filter(origin -> origin.service().ready() > 0) // a weight of 0 would be one of 1
                    .forEach(origin -> objects.add(EntryObject.workload(namespace, origin)));
        }
        return new EntryPlan(objects, left);
    }

    /// Nothing while there is room for all.
    Optional<Problem> problem() {
        return left == 0
                ? Optional.empty()
                : Optional.of(Problem.ofInput(
                        "entries-too-many",
                        "other clusters export more than a stock istiod gets: " + objects.size()
                                + " ServiceEntries and WorkloadEntries are there, " + left + " are left out",
                        "name what is wanted with --imports, or run a control plane of Fathom, which needs none"));
    }
}
