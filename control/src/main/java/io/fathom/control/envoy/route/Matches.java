// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.fathom.wire.kube.gateway.GrpcRouteManifest.GrpcMatch;
import io.fathom.wire.kube.gateway.GrpcRouteManifest.MethodMatch;
import io.fathom.wire.kube.gateway.HttpRouteManifest.HttpMatch;
import io.fathom.wire.kube.gateway.HttpRouteManifest.PathMatch;
import io.fathom.wire.kube.gateway.RouteManifest.Comparison;
import io.fathom.wire.kube.gateway.RouteManifest.ValueMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TextMatch;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;

/// What requests a rule of the Gateway API is for.
final class Matches {
    private static final String ANY_ELEMENT = "[^/]+";

    private Matches() {}

    static RouteMatch of(HttpMatch match) {
        var out = RouteMatch.newBuilder();
        writePath(out, match.path());
        writeHeaders(out, match.headers());
        if (!match.method().isEmpty()) {
            out.addHeaders(
                    TextMatches.header(":method", new TextMatch(TextMatch.StringMatchType.EXACT, match.method())));
        }
        var seen = new HashSet<String>();
        match.queryParameters().stream()
                .filter(query -> seen.add(query.name()))
                .forEach(query -> out.addQueryParameters(TextMatches.query(query.name(), TextMatches.of(query))));
        return out.build();
    }

    private static void writePath(RouteMatch.Builder out, PathMatch path) {
        switch (path.kind()) {
            case EXACT -> out.setPath(path.value());
            case REGEX -> out.setSafeRegex(TextMatches.regex(path.value()));
            case PREFIX -> {
                var prefix = PathEdit.trimmed(path.value());
                if (prefix.isEmpty()) {
                    out.setPrefix("/");
                } else if (prefix.contains("?") || prefix.contains("#")) {
                    out.setPath(prefix); // no path has these, and Envoy refuses them in a prefix
                } else {
                    out.setPathSeparatedPrefix(prefix);
                }
            }
        }
    }

    /// Of several matches for one header, the first counts.
    private static void writeHeaders(RouteMatch.Builder out, List<ValueMatch> headers) {
        var seen = new HashSet<String>();
        headers.stream()
                .filter(header -> seen.add(header.name().toLowerCase(Locale.ROOT)))
                .forEach(header -> out.addHeaders(TextMatches.header(header.name(), TextMatches.of(header))));
    }

    static RouteMatch of(GrpcMatch match) {
        var out = RouteMatch.newBuilder().setPrefix("/");
        match.method().ifPresent(method -> writeMethod(out, method));
        writeHeaders(out, match.headers());
        return out.build();
    }

    private static void writeMethod(RouteMatch.Builder out, MethodMatch method) {
        if (method.comparison() == Comparison.REGEX) {
            out.setSafeRegex(TextMatches.regex("/" + group(method.service()) + "/" + group(method.method())));
        } else if (method.method().isEmpty()) {
            out.setPrefix("/" + method.service() + "/");
        } else if (method.service().isEmpty()) {
            out.setSafeRegex(TextMatches.regex("/" + ANY_ELEMENT + "/" + PathEdit.quoted(method.method())));
        } else {
            out.setPath("/" + method.service() + "/" + method.method());
        }
    }

    private static String group(String regex) {
        return regex.isEmpty() ? ANY_ELEMENT : "(?:" + regex + ")";
    }
}
