// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import com.google.protobuf.BoolValue;
import io.envoyproxy.envoy.config.route.v3.HeaderMatcher;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.type.matcher.v3.FilterStateMatcher;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TextMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.UriCase;

/// What requests a rule of a VirtualService is for.
final class VirtualMatches {
    /// Where waypoints keep who called.
    private static final String PEER = "io.istio.peer_principal";

    private VirtualMatches() {}

    static RouteMatch of(HttpMatch match, Viewpoint viewpoint) {
        var out = RouteMatch.newBuilder().setPrefix("/");
        match.uri().ifPresent(uri -> writePath(out, uri));
        if (match.uriCase() == UriCase.IGNORED) {
            out.setCaseSensitive(BoolValue.of(false));
        }
        match.headers()
                .forEach((name, text) -> Claims.parse(name)
                        .ifPresentOrElse(
                                claim -> out.addDynamicMetadata(claim.matcher(text)),
                                () -> out.addHeaders(TextMatches.header(name, text))));
        match.withoutHeaders()
                .forEach((name, text) -> Claims.parse(name)
                        .ifPresentOrElse(
                                claim -> out.addDynamicMetadata(
                                        claim.matcher(text).toBuilder().setInvert(true)),
                                () -> out.addHeaders(without(name, text))));
        match.method().ifPresent(text -> out.addHeaders(TextMatches.header(":method", text)));
        match.authority().ifPresent(text -> out.addHeaders(TextMatches.header(":authority", text)));
        match.scheme().ifPresent(text -> out.addHeaders(TextMatches.header(":scheme", text)));
        match.queryParameters().forEach((name, text) -> out.addQueryParameters(TextMatches.query(name, text)));
        if (viewpoint.isMesh() && !match.callers().sourceNamespace().isEmpty()) {
            out.addFilterState(from(match.callers().sourceNamespace()));
        }
        return out.build();
    }

    private static void writePath(RouteMatch.Builder out, TextMatch uri) {
        switch (uri.kind()) {
            case EXACT -> out.setPath(uri.value());
            case PREFIX -> out.setPrefix(uri.value());
            case REGEX -> out.setSafeRegex(TextMatches.regex(uri.value()));
            case PRESENT -> out.setPrefix("/");
        }
    }

    private static HeaderMatcher without(String name, TextMatch text) {
        var matcher = TextMatches.header(name, text).toBuilder().setInvertMatch(true);
        return text.kind() == TextMatch.StringMatchType.PRESENT
                ? matcher.build()
                : matcher.setTreatMissingHeaderAsEmpty(true).build();
    }

    private static FilterStateMatcher from(String namespace) {
        return FilterStateMatcher.newBuilder()
                .setKey(PEER)
                .setStringMatch(StringMatcher.newBuilder()
                        .setSafeRegex(TextMatches.regex("spiffe://[^/]+/ns/" + PathEdit.quoted(namespace) + "/.*")))
                .build();
    }
}
