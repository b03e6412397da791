// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.route.v3.HeaderMatcher;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Which of several routes is asked first. Envoy takes the first that matches.
final class RouteOrder {
    private static final String METHOD = ":method";

    /// As the Gateway API demands: exact paths, then the longest prefix, then regular expressions; then those that name
    /// a method, then by how many headers and query parameters they name.
    static final Comparator<Route> MOST_SPECIFIC_FIRST = Comparator.comparingInt(
                    (Route route) -> rank(route.getMatch()))
            .thenComparingInt(route -> length(route.getMatch()))
            .thenComparing(route -> route.getMatch().getHeadersList().stream().anyMatch(RouteOrder::isMethod))
            .thenComparingLong(route -> route.getMatch().getHeadersList().stream()
                    .filter(header -> !isMethod(header))
                    .count())
            .thenComparingInt(route -> route.getMatch().getQueryParametersCount())
            .reversed();

    private RouteOrder() {}

    private static boolean isMethod(HeaderMatcher header) {
        return header.getName().equals(METHOD);
    }

    private static int rank(RouteMatch match) {
        return switch (match.getPathSpecifierCase()) {
            case PATH -> 3;
            case PREFIX, PATH_SEPARATED_PREFIX -> 2;
            case SAFE_REGEX -> 1;
            case CONNECT_MATCHER, PATH_MATCH_POLICY, PATHSPECIFIER_NOT_SET -> 0;
        };
    }

    private static int length(RouteMatch match) {
        return switch (match.getPathSpecifierCase()) {
            case PATH -> match.getPath().length();
            case PREFIX -> match.getPrefix().length();
            case PATH_SEPARATED_PREFIX -> match.getPathSeparatedPrefix().length();
            case SAFE_REGEX -> match.getSafeRegex().getRegex().length();
            case CONNECT_MATCHER, PATH_MATCH_POLICY, PATHSPECIFIER_NOT_SET -> 0;
        };
    }

    /// The order otherwise stays. Only the first route that matches everything can ever be reached.
    static List<Route> catchAllLast(List<Route> routes) {
        var ordered = new ArrayList<Route>(routes.size());
        routes.stream().filter(route -> !isCatchAll(route)).forEach(ordered::add);
        routes.stream().filter(RouteOrder::isCatchAll).findFirst().ifPresent(ordered::add);
        return ordered;
    }

    static boolean isCatchAll(Route route) {
        var match = route.getMatch();
        var everyPath = switch (match.getPathSpecifierCase()) {
            case PREFIX -> match.getPrefix().equals("/");
            case SAFE_REGEX -> match.getSafeRegex().getRegex().equals(".*");
            case PATH, PATH_SEPARATED_PREFIX, CONNECT_MATCHER, PATH_MATCH_POLICY, PATHSPECIFIER_NOT_SET -> false;
        };
        return everyPath
                && match.getHeadersCount() == 0
                && match.getQueryParametersCount() == 0
                && match.getDynamicMetadataCount() == 0
                && match.getFilterStateCount() == 0;
    }
}
