// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.Tracing;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.RequestIDExtension;
import java.util.Optional;

/// How requests are traced.
///
/// @param tracing empty when they are not
/// @param requestIds how identifiers of requests take part in it; empty for the usual
public record RequestTracing(Optional<Tracing> tracing, Optional<RequestIDExtension> requestIds) {
    public static final RequestTracing NONE = new RequestTracing(Optional.empty(), Optional.empty());

    public void addTo(HttpConnectionManager.Builder manager) {
        tracing.ifPresent(manager::setTracing);
        requestIds.ifPresent(manager::setRequestIdExtension);
    }
}
