// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.config.core.v3.HeaderValueOption;
import io.envoyproxy.envoy.config.core.v3.HeaderValueOption.HeaderAppendAction;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.WeightedCluster.ClusterWeight;
import io.fathom.wire.kube.gateway.RouteFilter.Header;
import io.fathom.wire.kube.gateway.RouteFilter.HeaderChanges;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Changes of headers. The host is none to Envoy: whoever sets it rewrites the authority.
///
/// @param authority empty for that of the request
record HeaderEdits(
        List<HeaderValueOption> add,
        List<String> remove,
        List<HeaderValueOption> responseAdd,
        List<String> responseRemove,
        String authority) {
    static final HeaderEdits NONE = new HeaderEdits(List.of(), List.of(), List.of(), List.of(), "");

    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern LINES = Pattern.compile("[\r\n\0]+");
    private static final Pattern COMMANDS =
            Pattern.compile("([^%]|%%|%[A-Z_0-9]+(\\([^)%]*\\))?(:[0-9]+)?%)*", Pattern.DOTALL);

    /// What a `%` in a value means.
    enum Values {
        /// Nothing special.
        LITERAL,
        /// Envoy's commands, such as `%DOWNSTREAM_REMOTE_ADDRESS%`.
        FORMATTED
    }

    static HeaderEdits ofRequest(HeaderChanges changes, Values values) {
        var authority = Stream.concat(changes.set().stream(), changes.add().stream())
                .filter(header -> isAuthority(header.name()))
                .map(Header::value)
                .findFirst()
                .orElse("");
        return new HeaderEdits(options(changes, values), removed(changes.remove()), List.of(), List.of(), authority);
    }

    static HeaderEdits ofResponse(HeaderChanges changes, Values values) {
        return new HeaderEdits(List.of(), List.of(), options(changes, values), removed(changes.remove()), "");
    }

    /// These first, then the others, as Envoy does with those of a cluster and those of the route around it.
    HeaderEdits then(HeaderEdits others) {
        return new HeaderEdits(
                concat(add, others.add),
                concat(remove, others.remove),
                concat(responseAdd, others.responseAdd),
                concat(responseRemove, others.responseRemove),
                others.authority.isEmpty() ? authority : others.authority);
    }

    private static <T> List<T> concat(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).distinct().toList();
    }

    private static List<HeaderValueOption> options(HeaderChanges changes, Values values) {
        var options = new ArrayList<>(options(changes.set(), HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD, values));
        options.addAll(options(changes.add(), HeaderAppendAction.APPEND_IF_EXISTS_OR_ADD, values));
        return options;
    }

    /// By name; of several values for one name, the first counts.
    private static List<HeaderValueOption> options(List<Header> headers, HeaderAppendAction action, Values values) {
        Set<String> seen = new HashSet<>();
        return headers.stream()
                .filter(header -> isOurs(header.name()))
                .filter(header -> seen.add(header.name().toLowerCase(Locale.ROOT)))
                .sorted(Comparator.comparing(Header::name))
                .map(header -> HeaderValueOption.newBuilder()
                        .setHeader(
                                HeaderValue.newBuilder().setKey(header.name()).setValue(value(header.value(), values)))
                        .setAppendAction(action)
                        .build())
                .toList();
    }

    /// A line break, or a lone `%`, would make Envoy refuse all of the configuration.
    private static String value(String text, Values values) {
        var value = LINES.matcher(text).replaceAll(" ");
        return values == Values.FORMATTED && COMMANDS.matcher(value).matches() ? value : value.replace("%", "%%");
    }

    private static List<String> removed(List<String> names) {
        return names.stream().filter(HeaderEdits::isOurs).distinct().toList();
    }

    private static boolean isOurs(String name) {
        return !isAuthority(name) && NAME.matcher(name).matches();
    }

    private static boolean isAuthority(String name) {
        return name.equalsIgnoreCase("host") || name.equalsIgnoreCase(":authority");
    }

    void writeTo(Route.Builder route) {
        route.addAllRequestHeadersToAdd(add)
                .addAllRequestHeadersToRemove(remove)
                .addAllResponseHeadersToAdd(responseAdd)
                .addAllResponseHeadersToRemove(responseRemove);
    }

    /// @param outer the authority of the route around it, which wins
    void writeTo(ClusterWeight.Builder cluster, String outer) {
        cluster.addAllRequestHeadersToAdd(add)
                .addAllRequestHeadersToRemove(remove)
                .addAllResponseHeadersToAdd(responseAdd)
                .addAllResponseHeadersToRemove(responseRemove);
        if (outer.isEmpty() && !authority.isEmpty()) {
            cluster.setHostRewriteLiteral(authority);
        }
    }
}
