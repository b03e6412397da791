package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.accesslog.v3.AccessLog;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.control.envoy.telemetry.RequestTracing;
import java.util.List;

/// What others put into an HTTP chain, in the order in which requests meet it.
///
/// @param custom external authorization
/// @param authentication extensions of that phase, then tokens
/// @param authorization extensions of that phase, then rules
/// @param last extensions that come after everything but the router
public record HttpSlots(
        List<HttpFilter> custom,
        List<HttpFilter> authentication,
        List<HttpFilter> authorization,
        List<HttpFilter> last,
        List<Route> routes,
        List<AccessLog> accessLogs,
        RequestTracing tracing) {
    public HttpSlots {
        custom = List.copyOf(custom);
        authentication = List.copyOf(authentication);
        authorization = List.copyOf(authorization);
        last = List.copyOf(last);
        routes = List.copyOf(routes);
        accessLogs = List.copyOf(accessLogs);
    }

    /// Routes alone.
    public static HttpSlots of(List<Route> routes) {
        return new HttpSlots(List.of(), List.of(), List.of(), List.of(), routes, List.of(), RequestTracing.NONE);
    }
}
