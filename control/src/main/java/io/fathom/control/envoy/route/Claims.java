// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.type.matcher.v3.ListMatcher;
import io.envoyproxy.envoy.type.matcher.v3.MetadataMatcher;
import io.envoyproxy.envoy.type.matcher.v3.OrMatcher;
import io.envoyproxy.envoy.type.matcher.v3.ValueMatcher;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TextMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A claim of a verified token, written as a header: `@request.auth.claims[a][b]`, or with dots.
///
/// @param path from the outermost claim to the innermost
record Claims(List<String> path) {
    private static final String PREFIX = "@request.auth.claims";
    private static final String JWT_FILTER = "envoy.filters.http.jwt_authn";

    Claims {
        path = List.copyOf(path);
    }

    /// Empty for what is a header like any other.
    static Optional<Claims> parse(String name) {
        if (name.length() <= PREFIX.length() || !name.regionMatches(true, 0, PREFIX, 0, PREFIX.length())) {
            return Optional.empty();
        }
        var rest = name.substring(PREFIX.length());
        if (rest.startsWith(".")) {
            return Optional.of(new Claims(List.of(rest.substring(1).split("\\.", -1))));
        }
        if (!rest.startsWith("[") || !rest.endsWith("]")) {
            return Optional.empty();
        }
        return Optional.of(
                new Claims(List.of(rest.substring(1, rest.length() - 1).split("\\]\\[", -1))));
    }

    /// The claim itself, or one of those that it lists.
    MetadataMatcher matcher(TextMatch text) {
        var value = text.kind() == TextMatch.StringMatchType.PRESENT
                ? ValueMatcher.newBuilder().setPresentMatch(true).build()
                : ValueMatcher.newBuilder().setStringMatch(TextMatches.of(text)).build();
        var listed = ValueMatcher.newBuilder()
                .setListMatch(ListMatcher.newBuilder().setOneOf(value))
                .build();
        var steps = new ArrayList<String>();
        steps.add("payload");
        steps.addAll(path);
        var matcher = MetadataMatcher.newBuilder()
                .setFilter(JWT_FILTER)
                .setValue(ValueMatcher.newBuilder()
                        .setOrMatch(
                                OrMatcher.newBuilder().addValueMatchers(value).addValueMatchers(listed)));
        steps.forEach(
                step -> matcher.addPath(MetadataMatcher.PathSegment.newBuilder().setKey(step)));
        return matcher.build();
    }
}
