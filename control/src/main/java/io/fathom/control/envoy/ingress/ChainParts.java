// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import io.envoyproxy.envoy.config.accesslog.v3.AccessLog;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.fathom.control.envoy.telemetry.RequestTracing;
import java.util.List;

/// What policies, telemetry and extensions add to the chains of an ingress proxy.
///
/// @param http filters for requests in their order, those that decide
/// @param last filters for requests that come after all others but the router
/// @param network filters for connections that no request is read from
public record ChainParts(
        List<HttpFilter> http,
        List<HttpFilter> last,
        List<Filter> network,
        List<AccessLog> httpLogs,
        List<AccessLog> networkLogs,
        RequestTracing tracing) {
    public static final ChainParts NONE =
            new ChainParts(List.of(), List.of(), List.of(), List.of(), List.of(), RequestTracing.NONE);

    public ChainParts {
        http = List.copyOf(http);
        last = List.copyOf(last);
        network = List.copyOf(network);
        httpLogs = List.copyOf(httpLogs);
        networkLogs = List.copyOf(networkLogs);
    }
}
