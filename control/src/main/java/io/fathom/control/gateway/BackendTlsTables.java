package io.fathom.control.gateway;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.gateway.PolicyAuthorities.Trust;
import io.fathom.wire.kube.BackendTlsPolicyManifest;
import io.fathom.wire.kube.BackendTlsPolicyManifest.Target;
import io.fathom.wire.kube.CaBundleManifest;
import io.fathom.wire.kube.Metadata;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.kube.RouteManifest;
import io.fathom.wire.kube.RouteManifest.ParentRef;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What became of BackendTLSPolicies, at each Gateway with a route to one of their targets, and at each waypoint that
/// sends to one: its own, and those of services with a route to it. A policy is judged again when something that its
/// verdict looked at changes.
public final class BackendTlsTables {
    private static final int MOST_ANCESTORS = 16; // that the API server stores

    private final Index<Backend, String, RouteVerdict> routes;
    private final Index<Backend, ObjectKey, BackendTlsPolicyManifest> policies;
    private final Table<ObjectKey, CaBundleManifest> bundles;
    private final Waypoints waypoints;
    private final Table<String, List<ParentVerdict>> verdicts;

    /// What routes and policies both refer to.
    private record Backend(String group, String kind, String namespace, String name) {}

    /// Which Gateway stands in front of a Service or ServiceEntry, remembered by the flow.
    @FunctionalInterface
    public interface Waypoints {
        Optional<ObjectKey> of(Fetch<?> fetch, String kind, ObjectKey service);
    }

    /// Adds its tables to a flow.
    ///
    /// @param judged routes by `Kind/namespace/name`
    public BackendTlsTables(
            Flow flow,
            Table<ObjectKey, BackendTlsPolicyManifest> manifests,
            Table<ObjectKey, CaBundleManifest> bundles,
            Table<String, RouteVerdict> judged,
            Waypoints waypoints) {
        this.bundles = bundles;
        this.waypoints = waypoints;
        routes = flow.index("routes/by-backend", judged, BackendTlsTables::backends);
        policies = flow.index(
                "backend-tls-policies/by-backend",
                manifests,
                policy -> policy.targets().stream()
                        .map(target -> backend(policy, target))
                        .collect(Collectors.toSet()));
        var byKey = flow.derive(
                "backend-tls-policies/verdicts", manifests, (fetch, policy) -> Optional.of(judge(fetch, policy)));
        verdicts = flow.rekey("backend-tls-policies/named", byKey, (key, _) -> "BackendTLSPolicy/" + key.path());
    }

    /// By `Kind/namespace/name`; the parents are Gateways.
    public Table<String, List<ParentVerdict>> verdicts() {
        return verdicts;
    }

    /// Of routes that are in effect somewhere.
    private static Set<Backend> backends(RouteVerdict verdict) {
        if (verdict.attached().isEmpty() && inMesh(verdict).findAny().isEmpty()) {
            return Set.of();
        }
        var route = verdict.route();
        return route.backends()
                .map(ref -> new Backend(ref.group(), ref.kind(), ref.namespaceFor(route.namespace()), ref.name()))
                .collect(Collectors.toSet());
    }

    /// The services that a route is in effect at.
    private static Stream<ParentRef> inMesh(RouteVerdict verdict) {
        return verdict.parents().stream()
                .filter(parent -> parent.accepted().isGood())
                .map(ParentVerdict::parent)
                .filter(parent -> !parent.isGateway());
    }

    private static Backend backend(BackendTlsPolicyManifest policy, Target target) {
        return new Backend(target.group(), target.kind(), policy.namespace(), target.name());
    }

    private List<ParentVerdict> judge(Fetch<ObjectKey> fetch, BackendTlsPolicyManifest policy) {
        var gateways = new TreeSet<ObjectKey>();
        for (var target : new HashSet<>(policy.targets())) {
            waypoints
                    .of(fetch, target.kind(), policy.key().sibling(target.name()))
                    .ifPresent(gateways::add);
            for (var verdict : fetch.all(routes, backend(policy, target))) {
                verdict.attached().forEach(listener -> gateways.add(listener.gateway()));
                var route = verdict.route();
                inMesh(verdict)
                        .flatMap(parent -> waypoints
                                .of(
                                        fetch,
                                        parent.kind(),
                                        new ObjectKey(
                                                route.key().cluster(),
                                                parent.namespaceFor(route.namespace()),
                                                parent.name()))
                                .stream())
                        .forEach(gateways::add);
            }
        }
        var authorities = PolicyAuthorities.of(policy, key -> fetch.one(bundles, key));
        var accepted = accepted(fetch, policy, authorities);
        var resolved = authorities.wrong().stream()
                .findFirst()
                .orElseGet(() -> Finding.good("ResolvedRefs", "all that it refers to can be used"));
        return gateways.stream()
                .limit(MOST_ANCESTORS)
                .map(gateway -> new ParentVerdict(
                        new ParentRef(RouteManifest.GROUP, "Gateway", gateway.namespace(), gateway.name(), "", 0),
                        accepted,
                        resolved))
                .toList();
    }

    private Finding accepted(Fetch<ObjectKey> fetch, BackendTlsPolicyManifest policy, PolicyAuthorities authorities) {
        if (authorities.trust() instanceof Trust.Nobody(var reason)) {
            return Finding.bad("NoValidCACertificate", "nothing is sent to its targets: " + reason);
        }
        var rivals = policy.targets().stream()
                .map(target -> older(fetch, policy, target))
                .toList();
        return rivals.stream().allMatch(Optional::isPresent)
                ? rivals.stream()
                        .flatMap(Optional::stream)
                        .findFirst()
                        .map(rival -> Finding.bad(
                                "Conflicted",
                                "BackendTLSPolicy " + rival.key().path() + " is older and has the same targets"))
                        .orElseGet(() -> Finding.bad("TargetNotFound", "it has no targetRefs"))
                : Finding.good("Accepted", "in effect");
    }

    /// Another policy that wins at a target.
    private Optional<BackendTlsPolicyManifest> older(
            Fetch<ObjectKey> fetch, BackendTlsPolicyManifest policy, Target target) {
        return fetch.all(policies, backend(policy, target)).stream()
                .filter(other -> other.targets().contains(target))
                .filter(other -> Metadata.OLDEST_FIRST.compare(other.metadata(), policy.metadata()) < 0)
                .findFirst();
    }
}
