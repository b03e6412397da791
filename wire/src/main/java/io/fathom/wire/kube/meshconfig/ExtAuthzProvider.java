// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/// A service that decides about requests (`envoyExtAuthzHttp`, `envoyExtAuthzGrpc`).
///
/// @param service `host` or `namespace/host`
/// @param timeout how long it may take; empty for the default
/// @param statusOnError what clients get when the service fails and that means refused
/// @param clearRouteCache whether the route is chosen again after the answer
/// @param body how much of the request's body the service sees; empty for none
/// @param http how it is asked by HTTP; empty when it is asked by gRPC
public record ExtAuthzProvider(
        String name,
        String service,
        int port,
        Optional<Duration> timeout,
        OnFailure onFailure,
        OptionalInt statusOnError,
        boolean clearRouteCache,
        Optional<Body> body,
        Optional<Http> http)
        implements ExtensionProvider {

    /// What happens when the service cannot be asked.
    public enum OnFailure {
        DENY,
        ALLOW
    }

    /// How much of a body.
    ///
    /// @param maxBytes the longest body that is sent
    /// @param allowPartial whether a longer one is cut instead of refused
    /// @param asBytes whether it is sent as bytes instead of text
    public record Body(int maxBytes, boolean allowPartial, boolean asBytes) {}

    /// Headers are names, or patterns with a star at the beginning or the end.
    ///
    /// @param pathPrefix put in front of the path; may be empty
    /// @param requestHeaders of the request that the service sees
    /// @param addedHeaders that the service sees too, in the order written
    /// @param upstreamOnAllow of the answer that the application sees
    /// @param downstreamOnDeny of the answer that the client sees when refused
    /// @param downstreamOnAllow of the answer that the client sees when let through
    public record Http(
            String pathPrefix,
            List<String> requestHeaders,
            Map<String, String> addedHeaders,
            List<String> upstreamOnAllow,
            List<String> downstreamOnDeny,
            List<String> downstreamOnAllow) {
        public Http {
            requestHeaders = List.copyOf(requestHeaders);
            addedHeaders = Map.copyOf(addedHeaders);
            upstreamOnAllow = List.copyOf(upstreamOnAllow);
            downstreamOnDeny = List.copyOf(downstreamOnDeny);
            downstreamOnAllow = List.copyOf(downstreamOnAllow);
        }
    }
}
