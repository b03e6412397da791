// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.ServiceMembership;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.WorkloadGateways;
import io.fathom.model.mesh.WorkloadSecurity;
import io.fathom.model.mesh.WorkloadTunnel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What the replicas of one deployment have in common. Kept once for all of them.
///
/// @param workloadName null for the name of the workload itself, as bare pods have it: else each would have a
///     role of its own
record Role(
        String namespace,
        String network,
        Workload.NetworkMode networkMode,
        WorkloadTunnel tunnel,
        WorkloadSecurity security,
        Optional<Identity> identity,
        WorkloadGateways gateways,
        CanonicalService canonical,
        Workload.Type type,
        @Nullable String workloadName,
        String clusterId,
        ServiceMembership membership) {

    static Role of(Workload workload, Pool pool) {
        return pool.share(new Role(
                pool.share(workload.namespace()),
                pool.share(workload.network()),
                workload.networkMode(),
                pool.share(workload.tunnel()),
                new WorkloadSecurity(
                        pool.share(workload.trustDomain()),
                        pool.share(workload.serviceAccount()),
                        pool.share(workload.authorizationPolicies())),
                pool.share(workload.identity()),
                pool.share(new WorkloadGateways(
                        pool.share(workload.waypoint()), workload.hairpin(), pool.share(workload.networkGateway()))),
                new CanonicalService(pool.share(workload.canonicalName()), pool.share(workload.canonicalRevision())),
                workload.type(),
                workload.workloadName().equals(workload.name()) ? null : pool.share(workload.workloadName()),
                pool.share(workload.clusterId()),
                new ServiceMembership(services(workload.services(), pool), workload.capacity())));
    }

    private static Map<String, List<Port>> services(Map<String, List<Port>> services, Pool pool) {
        var shared = new HashMap<String, List<Port>>();
        services.forEach((key, ports) -> shared.put(pool.share(key), pool.share(List.copyOf(ports))));
        return Map.copyOf(shared);
    }

    Map<String, List<Port>> services() {
        return membership.services();
    }

    boolean tunnels() {
        return tunnel.protocol() == Workload.TunnelProtocol.HBONE;
    }

    /// Relative share of the load: unset is one.
    long weight() {
        var capacity = membership.capacity();
        return capacity == 0 ? 1 : Integer.toUnsignedLong(capacity);
    }
}
