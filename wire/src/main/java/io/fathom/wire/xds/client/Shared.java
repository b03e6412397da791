// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.client;

import io.fathom.model.mesh.CanonicalService;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.ServiceMembership;
import io.fathom.model.mesh.Workload;
import io.fathom.model.mesh.WorkloadGateways;
import io.fathom.model.mesh.WorkloadNetwork;
import io.fathom.model.mesh.WorkloadOwner;
import io.fathom.model.mesh.WorkloadPlace;
import io.fathom.model.mesh.WorkloadSecurity;
import io.fathom.model.mesh.WorkloadTunnel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Gives equal parts of workloads one identity, as well as it can in a fixed number of places: a decoder makes anew
/// what thousands of workloads have in common, and a large response would hold all of it until it is applied.
/// For one thread.
final class Shared {
    private static final int PLACES = 1 << 13;

    private final @Nullable Object[] places = new @Nullable Object[PLACES];

    /// An equal value seen before, or this one.
    @SuppressWarnings("unchecked") // an equal record, string, list or map is of the same type
    private <T> T one(T value) {
        var hash = value.hashCode() * 0x9E3779B9;
        var at = hash >>> 19;
        var known = places[at];
        if (known != null && known.equals(value)) {
            return (T) known;
        }
        places[at] = value;
        return value;
    }

    /// Equal to the given one.
    Workload workload(Workload it) {
        return new Workload(
                it.uid(),
                it.name(),
                one(it.namespace()),
                new WorkloadNetwork(one(it.network()), it.addresses(), one(it.hostname()), it.networkMode()),
                one(new WorkloadTunnel(it.tunnelProtocol(), it.nativeTunnel(), it.applicationTunnel())),
                one(new WorkloadSecurity(
                        one(it.trustDomain()), one(it.serviceAccount()), one(it.authorizationPolicies()))),
                one(new WorkloadGateways(one(it.waypoint()), it.hairpin(), one(it.networkGateway()))),
                one(new WorkloadPlace(
                        one(it.clusterId()),
                        one(it.node()),
                        one(new Locality(
                                one(it.locality().region()),
                                one(it.locality().zone()),
                                one(it.locality().subzone()))))),
                one(new CanonicalService(one(it.canonicalName()), one(it.canonicalRevision()))),
                one(new WorkloadOwner(it.type(), one(it.workloadName()))),
                it.health(),
                one(new ServiceMembership(one(services(it.services())), it.capacity())));
    }

    private Map<String, List<Port>> services(Map<String, List<Port>> services) {
        var shared = HashMap.<String, List<Port>>newHashMap(services.size());
        services.forEach((key, ports) -> shared.put(one(key), one(ports)));
        return Map.copyOf(shared);
    }
}
