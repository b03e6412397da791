// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.route.v3.RedirectAction;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.type.matcher.v3.RegexMatchAndSubstitute;
import io.envoyproxy.envoy.type.matcher.v3.RegexMatcher;
import io.fathom.wire.kube.gateway.HttpRouteManifest.PathMatch;
import io.fathom.wire.kube.gateway.RouteFilter.PathChange;

/// How a path becomes another one.
sealed interface PathEdit {
    record Nothing() implements PathEdit {}

    record Whole(String path) implements PathEdit {}

    /// Replaces what the route matched.
    record Matched(String replacement) implements PathEdit {}

    record Regex(String pattern, String substitution) implements PathEdit {}

    /// The Gateway API replaces whole elements of a path, so slashes at the seam are neither lost nor doubled.
    static PathEdit of(PathChange change, PathMatch match) {
        return switch (change) {
            case PathChange.Whole(var path) -> new Whole(path);
            case PathChange.Prefix(var replacement) -> ofPrefix(trimmed(replacement), match);
        };
    }

    private static PathEdit ofPrefix(String replacement, PathMatch match) {
        return switch (match.kind()) {
            case EXACT -> new Matched(replacement.isEmpty() ? "/" : replacement);
            case REGEX -> new Nothing();
            case PREFIX -> {
                var prefix = trimmed(match.value());
                if (prefix.isEmpty()) {
                    yield replacement.isEmpty() ? new Nothing() : new Matched(replacement + "/");
                }
                yield replacement.isEmpty()
                        ? new Regex("^" + quoted(prefix) + "(/?)(.*)", "/\\2")
                        : new Matched(replacement);
            }
        };
    }

    /// Without slashes at its end.
    static String trimmed(String path) {
        var end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        return path.substring(0, end);
    }

    /// As a regular expression that matches only this text.
    static String quoted(String text) {
        return text.replaceAll("[\\\\.+*?()|\\[\\]{}^$]", "\\\\$0");
    }

    default void writeTo(RouteAction.Builder action) {
        switch (this) {
            case Nothing() -> {}
            case Whole(var path) -> action.setRegexRewrite(substitute("/.*", path.replace("\\", "\\\\")));
            case Matched(var replacement) -> action.setPrefixRewrite(replacement);
            case Regex(var pattern, var substitution) -> action.setRegexRewrite(substitute(pattern, substitution));
        }
    }

    default void writeTo(RedirectAction.Builder action) {
        switch (this) {
            case Nothing() -> {}
            case Whole(var path) -> action.setPathRedirect(path);
            case Matched(var replacement) -> action.setPrefixRewrite(replacement);
            case Regex(var pattern, var substitution) -> action.setRegexRewrite(substitute(pattern, substitution));
        }
    }

    private static RegexMatchAndSubstitute substitute(String pattern, String substitution) {
        return RegexMatchAndSubstitute.newBuilder()
                .setPattern(RegexMatcher.newBuilder().setRegex(pattern))
                .setSubstitution(substitution)
                .build();
    }
}
