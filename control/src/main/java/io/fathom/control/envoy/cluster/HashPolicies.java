// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.envoyproxy.envoy.config.route.v3.RouteAction.HashPolicy;
import io.envoyproxy.envoy.config.route.v3.RouteAction.HashPolicy.ConnectionProperties;
import io.envoyproxy.envoy.config.route.v3.RouteAction.HashPolicy.Cookie;
import io.envoyproxy.envoy.config.route.v3.RouteAction.HashPolicy.CookieAttribute;
import io.envoyproxy.envoy.config.route.v3.RouteAction.HashPolicy.Header;
import io.envoyproxy.envoy.config.route.v3.RouteAction.HashPolicy.QueryParameter;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConsistentHash;
import io.fathom.wire.kube.traffic.TrafficPolicy.HashKey;
import java.util.TreeMap;

/// What routes need so that clusters with consistent hashing know what to hash. Pure.
public final class HashPolicies {
    private HashPolicies() {}

    /// For the action of a route to a cluster that hashes; see [ServiceTraffic#hashing].
    public static HashPolicy of(ConsistentHash hash) {
        var policy = HashPolicy.newBuilder();
        switch (hash.key()) {
            case HashKey.Header(var name) ->
                policy.setHeader(Header.newBuilder().setHeaderName(name));
            case HashKey.SourceIp() ->
                policy.setConnectionProperties(ConnectionProperties.newBuilder().setSourceIp(true));
            case HashKey.QueryParameter(var name) ->
                policy.setQueryParameter(QueryParameter.newBuilder().setName(name));
            case HashKey.Cookie(var name, var path, var ttl, var attributes) -> {
                var cookie = Cookie.newBuilder().setName(name).setPath(path);
                ttl.ifPresent(time -> cookie.setTtl(Protos.duration(time)));
                new TreeMap<>(attributes)
                        .forEach((key, value) -> cookie.addAttributes(
                                CookieAttribute.newBuilder().setName(key).setValue(value)));
                policy.setCookie(cookie);
            }
        }
        return policy.build();
    }
}
