// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.core.v3.ApiVersion;
import io.envoyproxy.envoy.config.core.v3.GrpcService;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.config.core.v3.HttpUri;
import io.envoyproxy.envoy.extensions.filters.http.ext_authz.v3.AuthorizationRequest;
import io.envoyproxy.envoy.extensions.filters.http.ext_authz.v3.AuthorizationResponse;
import io.envoyproxy.envoy.extensions.filters.http.ext_authz.v3.BufferSettings;
import io.envoyproxy.envoy.extensions.filters.http.ext_authz.v3.ExtAuthz;
import io.envoyproxy.envoy.extensions.filters.http.ext_authz.v3.HttpService;
import io.envoyproxy.envoy.type.matcher.v3.ListStringMatcher;
import io.envoyproxy.envoy.type.matcher.v3.MetadataMatcher;
import io.envoyproxy.envoy.type.matcher.v3.MetadataMatcher.PathSegment;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.envoyproxy.envoy.type.matcher.v3.ValueMatcher;
import io.envoyproxy.envoy.type.v3.HttpStatus;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.wire.kube.meshconfig.ExtAuthzProvider;
import io.fathom.wire.kube.meshconfig.ExtAuthzProvider.Http;
import io.fathom.wire.kube.meshconfig.ExtAuthzProvider.OnFailure;
import java.util.List;
import java.util.TreeMap;

/// How a provider is asked. Pure.
///
/// @param cluster of the provider's service
record ExtAuthzFilter(ExtAuthzProvider provider, ClusterName cluster) {
    static final String HTTP_FILTER = "envoy.filters.http.ext_authz";
    static final String NETWORK_FILTER = "envoy.filters.network.ext_authz";

    private static final java.time.Duration DEFAULT_TIMEOUT = java.time.Duration.ofMinutes(10);

    /// @param prefix of the metadata that says which rule held
    /// @param names how names of such rules begin, before that of the provider
    ExtAuthz http(String prefix, String names) {
        var filter = ExtAuthz.newBuilder()
                .setTransportApiVersion(ApiVersion.V3)
                .setFailureModeAllow(provider.onFailure() == OnFailure.ALLOW)
                .setClearRouteCache(provider.clearRouteCache())
                .setFilterEnabledMetadata(whenHeld(RbacFilters.HTTP_FILTER, prefix, names));
        provider.statusOnError()
                .ifPresent(status ->
                        filter.setStatusOnError(HttpStatus.newBuilder().setCodeValue(status)));
        provider.body()
                .ifPresent(body -> filter.setWithRequestBody(BufferSettings.newBuilder()
                        .setMaxRequestBytes(body.maxBytes())
                        .setAllowPartialMessage(body.allowPartial())
                        .setPackAsBytes(body.asBytes())));
        provider.http()
                .ifPresentOrElse(
                        http -> {
                            filter.setHttpService(service(http));
                            if (!http.requestHeaders().isEmpty()) {
                                filter.setAllowedHeaders(headers(http.requestHeaders()));
                            }
                        },
                        () -> filter.setGrpcService(grpc()));
        return filter.build();
    }

    io.envoyproxy.envoy.extensions.filters.network.ext_authz.v3.ExtAuthz tcp(String prefix, String names) {
        return io.envoyproxy.envoy.extensions.filters.network.ext_authz.v3.ExtAuthz.newBuilder()
                .setStatPrefix(RbacFilters.TCP_PREFIX)
                .setTransportApiVersion(ApiVersion.V3)
                .setFailureModeAllow(provider.onFailure() == OnFailure.ALLOW)
                .setGrpcService(grpc())
                .setFilterEnabledMetadata(whenHeld(RbacFilters.NETWORK_FILTER, prefix, names))
                .build();
    }

    private MetadataMatcher whenHeld(String filter, String prefix, String names) {
        return MetadataMatcher.newBuilder()
                .setFilter(filter)
                .addPath(PathSegment.newBuilder().setKey(prefix + "shadow_effective_policy_id"))
                .setValue(ValueMatcher.newBuilder()
                        .setStringMatch(StringMatcher.newBuilder().setPrefix(names + provider.name())))
                .build();
    }

    private HttpService service(Http http) {
        var request = AuthorizationRequest.newBuilder();
        new TreeMap<>(http.addedHeaders())
                .forEach((name, value) -> request.addHeadersToAdd(
                        HeaderValue.newBuilder().setKey(name).setValue(value)));
        var response = AuthorizationResponse.newBuilder();
        if (!http.upstreamOnAllow().isEmpty()) {
            response.setAllowedUpstreamHeaders(headers(http.upstreamOnAllow()));
        }
        if (!http.downstreamOnDeny().isEmpty()) {
            response.setAllowedClientHeaders(headers(http.downstreamOnDeny()));
        }
        if (!http.downstreamOnAllow().isEmpty()) {
            response.setAllowedClientHeadersOnSuccess(headers(http.downstreamOnAllow()));
        }
        return HttpService.newBuilder()
                .setServerUri(HttpUri.newBuilder()
                        .setUri("http://" + cluster.host())
                        .setCluster(cluster.toString())
                        .setTimeout(timeout()))
                .setPathPrefix(http.pathPrefix())
                .setAuthorizationRequest(request)
                .setAuthorizationResponse(response)
                .build();
    }

    private GrpcService grpc() {
        return GrpcService.newBuilder()
                .setEnvoyGrpc(GrpcService.EnvoyGrpc.newBuilder()
                        .setClusterName(cluster.toString())
                        .setAuthority(cluster.host()))
                .setTimeout(timeout())
                .build();
    }

    private Duration timeout() {
        var timeout = provider.timeout().orElse(DEFAULT_TIMEOUT);
        return Duration.newBuilder()
                .setSeconds(timeout.getSeconds())
                .setNanos(timeout.getNano())
                .build();
    }

    private static ListStringMatcher headers(List<String> patterns) {
        var list = ListStringMatcher.newBuilder();
        patterns.forEach(
                pattern -> list.addPatterns(Matching.text(pattern).toBuilder().setIgnoreCase(!pattern.equals("*"))));
        return list.build();
    }
}
