// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.accesslog.v3.AccessLog;
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
        List<AccessLog> accessLogs,
        RequestTracing tracing) {
    /// Nothing.
    public static final HttpSlots NONE =
            new HttpSlots(List.of(), List.of(), List.of(), List.of(), List.of(), RequestTracing.NONE);

    public HttpSlots {
        custom = List.copyOf(custom);
        authentication = List.copyOf(authentication);
        authorization = List.copyOf(authorization);
        last = List.copyOf(last);
        accessLogs = List.copyOf(accessLogs);
    }
}
