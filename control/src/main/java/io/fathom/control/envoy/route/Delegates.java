// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.fathom.wire.kube.networking.VirtualServiceManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Callers;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpMatch;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpRule;
import io.fathom.wire.kube.networking.VirtualServiceManifest.UriCase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// VirtualServices that others hand a part of their requests to.
final class Delegates {
    static final HttpMatch EVERYTHING = new HttpMatch(
            "",
            Optional.empty(),
            UriCase.MATTERS,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            0,
            Callers.ALL,
            "");

    private final Map<String, VirtualServiceManifest> byPath = new HashMap<>();

    Delegates(List<VirtualServiceManifest> all) {
        all.stream()
                .filter(each -> each.hosts().isEmpty())
                .forEach(each -> byPath.putIfAbsent(each.key().path(), each));
    }

    /// @param owner whose names count
    record FoundDelegate(VirtualServiceManifest owner, List<HttpRule> rules) {}

    /// The rules that take the place of one that delegates: each is for what both match. Nobody delegates twice.
    FoundDelegate rules(HttpRule delegating, String namespace, String name, VirtualServiceManifest owner) {
        var target = Optional.ofNullable(byPath.get(namespace + "/" + name))
                .filter(found -> found.isVisibleIn(owner.namespace()))
                .filter(found -> !found.equals(owner));
        if (target.isEmpty()) {
            return new FoundDelegate(owner, List.of());
        }
        var outer = delegating.matches().isEmpty()
                ? List.of(EVERYTHING)
                : delegating.matches().stream()
                        .map(match -> qualified(match, owner))
                        .toList();
        var rules = new ArrayList<HttpRule>();
        for (var rule : target.get().http()) {
            var inner = rule.matches().isEmpty() ? List.of(EVERYTHING) : rule.matches();
            var both = new ArrayList<HttpMatch>();
            outer.forEach(one -> inner.forEach(other -> both(one, other).ifPresent(both::add)));
            if (!both.isEmpty()) {
                rules.add(merged(delegating, rule, both));
            }
        }
        return new FoundDelegate(target.get(), rules);
    }

    /// With whole names of gateways: those of the delegate may be in another namespace.
    private static HttpMatch qualified(HttpMatch match, VirtualServiceManifest owner) {
        var callers = match.callers();
        return new HttpMatch(
                match.name(),
                match.uri(),
                match.uriCase(),
                match.scheme(),
                match.method(),
                match.authority(),
                match.headers(),
                match.withoutHeaders(),
                match.queryParameters(),
                match.port(),
                new Callers(
                        callers.sourceLabels(),
                        callers.sourceNamespace(),
                        callers.gateways().stream()
                                .map(name -> Viewpoint.qualified(owner, name))
                                .toList()),
                match.statPrefix());
    }

    private static HttpRule merged(HttpRule outer, HttpRule inner, List<HttpMatch> matches) {
        return new HttpRule(
                outer.name().isEmpty() || inner.name().isEmpty()
                        ? outer.name() + inner.name()
                        : outer.name() + "-" + inner.name(),
                matches,
                inner.action(),
                inner.headers(),
                inner.timeout().or(outer::timeout),
                inner.retries().or(outer::retries),
                inner.fault().or(outer::fault),
                inner.mirrors().isEmpty() ? outer.mirrors() : inner.mirrors(),
                inner.cors().or(outer::cors));
    }

    /// Empty when nothing can match both.
    private static Optional<HttpMatch> both(HttpMatch outer, HttpMatch inner) {
        if ((outer.uri().isPresent() && inner.uri().isPresent() && !narrows(outer, inner))
                || (outer.port() != 0 && inner.port() != 0 && outer.port() != inner.port())) {
            return Optional.empty();
        }
        return Optional.of(new HttpMatch(
                outer.name().isEmpty() || inner.name().isEmpty()
                        ? outer.name() + inner.name()
                        : outer.name() + "-" + inner.name(),
                inner.uri().or(outer::uri),
                inner.uri().isPresent() ? inner.uriCase() : outer.uriCase(),
                inner.scheme().or(outer::scheme),
                inner.method().or(outer::method),
                inner.authority().or(outer::authority),
                union(outer.headers(), inner.headers()),
                union(outer.withoutHeaders(), inner.withoutHeaders()),
                union(outer.queryParameters(), inner.queryParameters()),
                inner.port() == 0 ? outer.port() : inner.port(),
                inner.callers().equals(Callers.ALL) ? outer.callers() : inner.callers(),
                inner.statPrefix().isEmpty() ? outer.statPrefix() : inner.statPrefix()));
    }

    /// Whether every path of the inner match is one of the outer.
    private static boolean narrows(HttpMatch outer, HttpMatch inner) {
        var one = outer.uri().orElseThrow();
        var other = inner.uri().orElseThrow();
        return switch (one.kind()) {
            case PRESENT -> true;
            case EXACT, REGEX -> one.equals(other);
            case PREFIX ->
                switch (other.kind()) {
                    case EXACT, PREFIX -> other.value().startsWith(one.value());
                    case REGEX, PRESENT -> false;
                };
        };
    }

    private static <V> SortedMap<String, V> union(SortedMap<String, V> outer, SortedMap<String, V> inner) {
        var both = new TreeMap<>(outer);
        both.putAll(inner);
        return both;
    }
}
