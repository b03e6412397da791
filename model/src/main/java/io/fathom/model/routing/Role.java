// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Workload;
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
        Workload.TunnelProtocol tunnelProtocol,
        Workload.NativeTunnel nativeTunnel,
        String trustDomain,
        String serviceAccount,
        Optional<Identity> identity,
        Optional<GatewayAddress> waypoint,
        Optional<GatewayAddress> networkGateway,
        String canonicalName,
        String canonicalRevision,
        Workload.Type type,
        @Nullable String workloadName,
        List<String> authorizationPolicies,
        String clusterId,
        Map<String, List<Port>> services,
        Optional<Workload.ApplicationTunnel> applicationTunnel,
        Workload.NetworkMode networkMode,
        int capacity,
        Workload.Hairpin hairpin) {

    static Role of(Workload workload, Pool pool) {
        return pool.share(new Role(
                pool.share(workload.namespace()),
                pool.share(workload.network()),
                workload.tunnelProtocol(),
                workload.nativeTunnel(),
                pool.share(workload.trustDomain()),
                pool.share(workload.serviceAccount()),
                pool.share(workload.identity()),
                pool.share(workload.waypoint()),
                pool.share(workload.networkGateway()),
                pool.share(workload.canonicalName()),
                pool.share(workload.canonicalRevision()),
                workload.type(),
                workload.workloadName().equals(workload.name()) ? null : pool.share(workload.workloadName()),
                pool.share(workload.authorizationPolicies()),
                pool.share(workload.clusterId()),
                services(workload.services(), pool),
                pool.share(workload.applicationTunnel()),
                workload.networkMode(),
                workload.capacity(),
                workload.hairpin()));
    }

    private static Map<String, List<Port>> services(Map<String, List<Port>> services, Pool pool) {
        var shared = new HashMap<String, List<Port>>();
        services.forEach((key, ports) -> shared.put(pool.share(key), pool.share(List.copyOf(ports))));
        return Map.copyOf(shared);
    }

    boolean tunnels() {
        return tunnelProtocol == Workload.TunnelProtocol.HBONE;
    }

    /// Relative share of the load: unset is one.
    long weight() {
        return capacity == 0 ? 1 : Integer.toUnsignedLong(capacity);
    }
}
