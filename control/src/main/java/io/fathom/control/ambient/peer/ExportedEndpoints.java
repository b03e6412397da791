// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.peer;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Hosts;
import io.fathom.control.ambient.network.Networks;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Workload;
import io.fathom.model.peering.ServiceEndpoints;
import io.fathom.model.peering.ServiceEndpoints.PeerEndpoint;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What we tell clusters on our own network: the endpoints of each service that they may call. While there is no such
/// cluster, nothing.
public final class ExportedEndpoints {
    /// @param services the ports by service
    private record Member(Map<String, List<Port>> services, PeerEndpoint endpoint) {}

    private final Table<ObjectKey, ServiceEndpoints> table;

    /// @param workloads those of our cluster
    /// @param exported the services that we tell of
    public ExportedEndpoints(
            Flow flow,
            Table<String, Workload> workloads,
            Table<ObjectKey, ServiceSummary> exported,
            NearPeers near,
            Networks networks,
            AmbientConfig config) {
        var home = new ObjectKey(config.clusterId(), "", "");
        var members = flow.derive(
                "exported/near-endpoints",
                workloads,
                (fetch, workload) -> workload.services().isEmpty()
                                || workload.addresses().isEmpty()
                                || !near.exist(fetch)
                                || !workload.network().equals(networks.of(fetch, home))
                        ? Optional.<Member>empty()
                        : Optional.of(member(workload)));
        var byService = flow.index(
                "exported/near-members", members, member -> member.services().keySet());
        table = flow.derive(
                "exported/endpoints-of-services",
                exported,
                (fetch, service) -> near.exist(fetch)
                        ? Optional.of(endpoints(fetch, service, byService, config))
                        : Optional.<ServiceEndpoints>empty());
    }

    public Table<ObjectKey, ServiceEndpoints> table() {
        return table;
    }

    private static ServiceEndpoints endpoints(
            Fetch<ObjectKey> fetch,
            ServiceSummary service,
            Index<String, String, Member> members,
            AmbientConfig config) {
        var key = Hosts.keyOf(fetch.key(), config.domain());
        return new ServiceEndpoints(
                service.namespace(),
                service.name(),
                fetch.all(members, key).stream()
                        .map(member -> at(member.endpoint(), member.services().getOrDefault(key, List.of())))
                        .toList());
    }

    private static PeerEndpoint at(PeerEndpoint endpoint, List<Port> ports) {
        return new PeerEndpoint(
                endpoint.addresses(),
                endpoint.account(),
                ports,
                endpoint.tunnel(),
                endpoint.health(),
                endpoint.locality(),
                endpoint.capacity());
    }

    private static Member member(Workload workload) {
        var account = workload.serviceAccount().isEmpty() ? "default" : workload.serviceAccount();
        return new Member(
                workload.services(),
                new PeerEndpoint(
                        workload.addresses(),
                        workload.namespace() + "/" + account,
                        List.of(),
                        workload.tunnelProtocol(),
                        workload.health(),
                        workload.locality(),
                        Math.max(1, workload.capacity())));
    }
}
