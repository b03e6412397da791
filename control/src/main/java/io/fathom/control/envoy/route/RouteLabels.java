// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.fathom.wire.kube.manifest.ObjectKey;

/// What tells people where a route comes from: names in configurations, and in spans.
final class RouteLabels {
    private RouteLabels() {}

    /// @param type such as `gateway.networking.k8s.io/v1`
    /// @param kind such as `http-route`
    static Metadata origin(String type, String kind, ObjectKey key) {
        var path = "/apis/%s/namespaces/%s/%s/%s".formatted(type, key.namespace(), kind, key.name());
        var config = Value.newBuilder().setStringValue(path).build();
        return Metadata.newBuilder()
                .putFilterMetadata(
                        "istio", Struct.newBuilder().putFields("config", config).build())
                .build();
    }

    /// `host:port/path` of the only destination; with several, the name of the object instead of a host.
    static String operation(Route.Builder route, String object, int port) {
        var match = route.getMatch();
        var path = switch (match.getPathSpecifierCase()) {
            case PREFIX -> match.getPrefix() + "*";
            case PATH -> match.getPath();
            case PATH_SEPARATED_PREFIX -> match.getPathSeparatedPrefix() + "/*";
            case SAFE_REGEX -> match.getSafeRegex().getRegex();
            case CONNECT_MATCHER, PATH_MATCH_POLICY, PATHSPECIFIER_NOT_SET -> "/*";
        };
        var cluster = route.getRoute().getCluster().split("\\|", -1);
        return cluster.length == 4 ? cluster[3] + ":" + cluster[1] + path : object + ":" + port + path;
    }
}
