// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import io.fathom.control.envoy.view.ProxyGroup;

/// What gateways tell the other end of their tunnels about themselves: the same as in their own metrics. Without it
/// the metrics of a waypoint would not know where requests come from. Pure.
public final class GatewayBaggage {
    private GatewayBaggage() {}

    public static String of(ProxyGroup group) {
        var text = new StringBuilder();
        if (!group.gateway().cluster().isEmpty()) {
            text.append("k8s.cluster.name=").append(group.gateway().cluster()).append(',');
        }
        return text.append("k8s.namespace.name=")
                .append(group.namespace())
                .append(",k8s.deployment.name=")
                .append(group.gateway().name())
                .append(",service.name=")
                .append(MetricLabels.canonicalService(group))
                .append(",service.version=")
                .append(MetricLabels.canonicalRevision(group))
                .toString();
    }
}
