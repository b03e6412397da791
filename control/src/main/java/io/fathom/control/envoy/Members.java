// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.view.Member;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Workload;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Workloads by the service they are behind, and by the waypoint that stands in front of them.
final class Members {
    /// A workload whose own traffic goes through waypoints.
    private record Guarded(Set<GatewayAddress> waypoints, List<Ip> addresses, String network) {}

    private final Table<String, Map<String, String>> labels;
    private final Index<String, String, Address> byService;
    private final Index<GatewayAddress, String, Guarded> byWaypoint;

    Members(MeshFlow mesh, FormerWaypoints former) {
        labels = mesh.workloadLabels();
        byService = mesh.flow()
                .index(
                        "envoy/members",
                        mesh.addresses(),
                        address -> address instanceof Workload workload
                                ? workload.services().keySet()
                                : Set.of());
        var guarded = mesh.flow()
                .derive(
                        "envoy/guarded-workloads",
                        mesh.addresses(),
                        (fetch, address) -> address instanceof Workload workload
                                ? Optional.of(former.serving(fetch, workload))
                                        .filter(waypoints -> !waypoints.isEmpty())
                                        .map(waypoints ->
                                                new Guarded(waypoints, workload.addresses(), workload.network()))
                                : Optional.empty());
        byWaypoint = mesh.flow().index("envoy/workloads-by-waypoint", guarded, Guarded::waypoints);
    }

    /// The workloads behind a service.
    List<Workload> of(Fetch<?> fetch, String service) {
        return fetch.all(byService, service).stream().map(Workload.class::cast).toList();
    }

    /// The same without labels.
    List<Member> plain(Fetch<?> fetch, String service) {
        return of(fetch, service).stream()
                .map(workload -> new Member(workload, Map.of()))
                .toList();
    }

    /// The same with their labels. Costs a tracked fetch for each.
    List<Member> labelled(Fetch<?> fetch, String service) {
        return of(fetch, service).stream()
                .map(workload ->
                        new Member(workload, fetch.one(labels, workload.uid()).orElse(Map.of())))
                .toList();
    }

    /// The addresses of workloads whose own traffic goes through a waypoint.
    List<Ip> behind(Fetch<?> fetch, GatewayAddress waypoint, String network) {
        return fetch.all(byWaypoint, waypoint).stream()
                .filter(workload -> workload.network().equals(network))
                .flatMap(workload -> workload.addresses().stream())
                .distinct()
                .sorted()
                .toList();
    }
}
