// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import java.util.List;

/// Routes, and what they need of the connection manager that has them.
///
/// @param filters besides `fault` and `cors`; to be put before the router, in this order
public record RoutePlan(List<Route> routes, List<HttpFilter> filters) {
    public RoutePlan {
        routes = List.copyOf(routes);
        filters = List.copyOf(filters);
    }
}
