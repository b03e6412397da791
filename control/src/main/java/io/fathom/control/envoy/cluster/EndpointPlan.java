// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.ProxyRole;
import java.util.Map;

/// Which endpoints a cluster wants. A value: equal plans and equal (cut down) vantages mean equal sets.
///
/// @param service `namespace/hostname`
/// @param port of the service
/// @param labels that members must have; those of a subset
public record EndpointPlan(
        ClusterName cluster,
        ProxyRole role,
        String service,
        int port,
        Map<String, String> labels,
        Placement placement) {
    public EndpointPlan {
        labels = Map.copyOf(labels);
    }

    /// Whether what its proxies send to members is a tunnel of somebody else.
    boolean handsTunnelsOn() {
        return role == ProxyRole.EAST_WEST && cluster.direction() == ClusterName.Direction.INBOUND_VIP;
    }
}
