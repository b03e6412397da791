// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.route.v3.HeaderMatcher;
import io.envoyproxy.envoy.config.route.v3.QueryParameterMatcher;
import io.envoyproxy.envoy.type.matcher.v3.RegexMatcher;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.fathom.wire.kube.gateway.RouteManifest.Comparison;
import io.fathom.wire.kube.gateway.RouteManifest.ValueMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.TextMatch;

/// Comparisons of texts, headers and query parameters.
final class TextMatches {
    private TextMatches() {}

    /// Of something that is there: to be there is to match anything.
    static StringMatcher of(TextMatch match) {
        var matcher = StringMatcher.newBuilder();
        return switch (match.kind()) {
            case EXACT -> matcher.setExact(match.value()).build();
            case PREFIX ->
                match.value().isEmpty()
                        ? matcher.setSafeRegex(regex(".*")).build()
                        : matcher.setPrefix(match.value()).build();
            case REGEX -> matcher.setSafeRegex(regex(match.value())).build();
            case PRESENT -> matcher.setSafeRegex(regex(".*")).build();
        };
    }

    static HeaderMatcher header(String name, TextMatch match) {
        var matcher = HeaderMatcher.newBuilder().setName(name);
        return match.kind() == TextMatch.StringMatchType.PRESENT
                ? matcher.setPresentMatch(true).build()
                : matcher.setStringMatch(of(match)).build();
    }

    static QueryParameterMatcher query(String name, TextMatch match) {
        var matcher = QueryParameterMatcher.newBuilder().setName(name);
        return match.kind() == TextMatch.StringMatchType.PRESENT
                ? matcher.setPresentMatch(true).build()
                : matcher.setStringMatch(of(match)).build();
    }

    static TextMatch of(ValueMatch match) {
        var value = match.value();
        if (match.comparison() == Comparison.EXACT) {
            return new TextMatch(TextMatch.StringMatchType.EXACT, value);
        }
        return value.isEmpty() || value.equals("*")
                ? TextMatch.ANY
                : new TextMatch(TextMatch.StringMatchType.REGEX, value);
    }

    static RegexMatcher regex(String regex) {
        return RegexMatcher.newBuilder().setRegex(regex).build();
    }
}
