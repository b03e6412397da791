// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.core.v3.ApiVersion;
import io.envoyproxy.envoy.config.core.v3.GrpcService;
import io.envoyproxy.envoy.config.core.v3.HttpUri;
import io.envoyproxy.envoy.extensions.filters.http.ext_authz.v3.AuthorizationResponse;
import io.envoyproxy.envoy.extensions.filters.http.ext_authz.v3.BufferSettings;
import io.envoyproxy.envoy.extensions.filters.http.ext_authz.v3.CheckSettings;
import io.envoyproxy.envoy.extensions.filters.http.ext_authz.v3.ExtAuthz;
import io.envoyproxy.envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute;
import io.envoyproxy.envoy.extensions.filters.http.ext_authz.v3.HttpService;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.type.matcher.v3.ListStringMatcher;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.fathom.wire.kube.gateway.RouteFilter.ExternalAuth;
import java.util.List;

/// Asks somebody else whether a request may pass. Each who is asked has a filter of its own, which sleeps until a route
/// wakes it.
final class AuthChecks {
    private static final String PREFIX = "envoy.filters.http.ext_authz/";
    private static final Duration PATIENCE = Duration.newBuilder().setSeconds(5).build();

    private AuthChecks() {}

    /// What wakes a filter.
    static Any awake() {
        return Any.pack(ExtAuthzPerRoute.newBuilder()
                .setCheckSettings(CheckSettings.getDefaultInstance())
                .build());
    }

    /// @param backend that is asked; must be known
    static HttpFilter filter(ExternalAuth auth, Backend backend) {
        var check = ExtAuthz.newBuilder().setTransportApiVersion(ApiVersion.V3);
        switch (auth.protocol()) {
            case HTTP -> check.setHttpService(http(auth, backend));
            case GRPC ->
                check.setGrpcService(GrpcService.newBuilder()
                        .setEnvoyGrpc(GrpcService.EnvoyGrpc.newBuilder().setClusterName(backend.cluster()))
                        .setTimeout(PATIENCE));
        }
        if (!auth.allowedHeaders().isEmpty()) {
            check.setAllowedHeaders(names(auth.allowedHeaders()));
        }
        if (auth.bodyBytes() > 0) {
            check.setWithRequestBody(BufferSettings.newBuilder()
                    .setMaxRequestBytes(auth.bodyBytes())
                    .setAllowPartialMessage(true));
        }
        var config = Any.pack(check.build());
        return HttpFilter.newBuilder()
                .setName(PREFIX + backend.cluster() + "/"
                        + Integer.toHexString(config.getValue().hashCode()))
                .setTypedConfig(config)
                .setDisabled(true)
                .build();
    }

    private static HttpService http(ExternalAuth auth, Backend backend) {
        var host = backend.service().orElseThrow().hostname();
        var service = HttpService.newBuilder()
                .setServerUri(HttpUri.newBuilder()
                        .setUri("http://" + host + ":" + backend.port())
                        .setCluster(backend.cluster())
                        .setTimeout(PATIENCE))
                .setPathPrefix(auth.path());
        if (!auth.responseHeaders().isEmpty()) {
            service.setAuthorizationResponse(
                    AuthorizationResponse.newBuilder().setAllowedUpstreamHeaders(names(auth.responseHeaders())));
        }
        return service.build();
    }

    private static ListStringMatcher names(List<String> names) {
        var list = ListStringMatcher.newBuilder();
        names.forEach(name ->
                list.addPatterns(StringMatcher.newBuilder().setExact(name).setIgnoreCase(true)));
        return list.build();
    }
}
