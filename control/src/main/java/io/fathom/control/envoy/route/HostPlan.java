// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import java.util.List;

/// Virtual hosts, and what they need of the connection manager that has them.
///
/// @param filters besides `fault` and `cors`; to be put before the router, in this order
public record HostPlan(List<VirtualHost> hosts, List<HttpFilter> filters) {
    public HostPlan {
        hosts = List.copyOf(hosts);
        filters = List.copyOf(filters);
    }
}
