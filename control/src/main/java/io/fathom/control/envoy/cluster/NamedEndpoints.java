// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.envoyproxy.envoy.config.cluster.v3.Cluster.DiscoveryType;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.fathom.control.envoy.view.Member;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The endpoints of a cluster that asks DNS for them. Pure.
final class NamedEndpoints {
    private NamedEndpoints() {}

    static ClusterLoadAssignment of(EndpointPlan plan, MeshService service, List<Member> members, DiscoveryType type) {
        var found = new ArrayList<LbEndpoint>();
        members.stream()
                .filter(member ->
                        member.labels().entrySet().containsAll(plan.labels().entrySet()))
                .sorted(Comparator.comparing(member -> member.workload().uid()))
                .forEach(member -> {
                    var port = TargetPort.of(member.workload(), service, plan.port());
                    if (port > 0 && !host(member.workload()).isEmpty()) {
                        found.add(LbEndpoints.plain(member.workload(), host(member.workload()), port));
                    }
                });
        if (found.isEmpty() && members.isEmpty() && !service.hostname().startsWith("*")) {
            found.add(LbEndpoints.plain(service.hostname(), plan.port()));
        }
        var assignment =
                ClusterLoadAssignment.newBuilder().setClusterName(plan.cluster().toString());
        if (!found.isEmpty()) {
            // One name is all that such a cluster can have.
            var listed = type == DiscoveryType.LOGICAL_DNS ? found.subList(0, 1) : found;
            assignment.addEndpoints(LocalityLbEndpoints.newBuilder()
                    .setLocality(LbEndpoints.locality(Locality.NONE))
                    .addAllLbEndpoints(listed));
        }
        return assignment.build();
    }

    private static String host(Workload workload) {
        return !workload.hostname().isEmpty() || workload.addresses().isEmpty()
                ? workload.hostname()
                : workload.addresses().getFirst().toString();
    }
}
