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
/// @param capture of the proxies of an ingress gateway
public record EndpointPlan(
        ClusterName cluster,
        ProxyRole role,
        String service,
        int port,
        Map<String, String> labels,
        Placement placement,
        Capture capture) {
    public EndpointPlan {
        labels = Map.copyOf(labels);
    }

    /// For proxies that make their own tunnels.
    public EndpointPlan(
            ClusterName cluster,
            ProxyRole role,
            String service,
            int port,
            Map<String, String> labels,
            Placement placement) {
        this(cluster, role, service, port, labels, placement, Capture.FREE);
    }

    /// The same for others; only an ingress gateway is ever captured.
    public EndpointPlan with(Capture other) {
        return role == ProxyRole.INGRESS && other != capture
                ? new EndpointPlan(cluster, role, service, port, labels, placement, other)
                : this;
    }

    /// Whether what its proxies send to members is a tunnel of somebody else.
    boolean handsTunnelsOn() {
        return role == ProxyRole.EAST_WEST && cluster.direction() == ClusterName.Direction.INBOUND_VIP;
    }
}
