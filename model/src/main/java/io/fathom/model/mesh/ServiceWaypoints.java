// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The waypoints that traffic to a service passes, and whose traffic does.
///
/// @param only the one waypoint, if not several share the traffic
/// @param ingress whether ingress gateways send through it too
public record ServiceWaypoints(
        Optional<GatewayAddress> only, List<Service.WeightedWaypoint> weighted, Service.IngressWaypoint ingress) {
    public static final ServiceWaypoints NONE =
            new ServiceWaypoints(Optional.empty(), List.of(), Service.IngressWaypoint.SKIPPED);

    public ServiceWaypoints {
        weighted = List.copyOf(weighted);
    }

    Set<GatewayAddress> all() {
        if (only.isEmpty() && weighted.isEmpty()) {
            return Set.of();
        }
        var result = new LinkedHashSet<GatewayAddress>();
        only.ifPresent(result::add);
        weighted.forEach(share -> result.add(share.destination()));
        return result;
    }
}
