// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.gateway.BackendPolicyManifest;
import io.fathom.wire.kube.gateway.BackendPolicyManifest.Target;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.gateway.BackendTrafficPolicyManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.DestinationRuleManifest;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicy.RetryBudget;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Finds what is written about a service. What was looked at is remembered by the flow: whoever asked is derived again
/// when it changes. Costs three tracked lookups for a service that nothing is written about.
public final class TrafficRules {
    private static final String ANY_HOST = "*";

    private final Index<String, ObjectKey, DestinationRuleManifest> byHost;
    private final Index<PolicyTarget, ManifestId, BackendPolicyManifest> byTarget;
    private final Table<ObjectKey, CaBundleManifest> bundles;
    private final String domain;

    /// A Service or ServiceEntry as policies name it.
    private record PolicyTarget(MeshService.Origin origin, String namespace, String name) {}

    /// The manifests.
    public record TrafficInputs(
            Table<ObjectKey, DestinationRuleManifest> rules,
            Table<ObjectKey, BackendTlsPolicyManifest> tlsPolicies,
            Table<ObjectKey, BackendTrafficPolicyManifest> trafficPolicies,
            Table<ObjectKey, CaBundleManifest> bundles) {}

    /// Adds its indexes to a flow.
    ///
    /// @param domain of the cluster, such as `cluster.local`
    public TrafficRules(Flow flow, TrafficInputs inputs, String domain) {
        this.domain = domain;
        this.bundles = inputs.bundles();
        byHost = flow.index("destination-rules/by-host", inputs.rules(), rule -> {
            var host = RuleSelection.host(rule, domain);
            return Set.of(RuleSelection.isWildcard(host) ? ANY_HOST : host);
        });
        Table<ManifestId, BackendPolicyManifest> policies = flow.join(
                "backend-policies",
                List.of(
                        named(flow, BackendTlsPolicyManifest.class, inputs.tlsPolicies()),
                        named(flow, BackendTrafficPolicyManifest.class, inputs.trafficPolicies())));
        byTarget =
                flow.index(
                        "backend-policies/by-target",
                        policies,
                        policy -> policy.targets().stream()
                                .flatMap(target -> origin(target)
                                        .map(origin -> new PolicyTarget(origin, policy.namespace(), target.name()))
                                        .stream())
                                .collect(Collectors.toSet()));
    }

    private static <M extends BackendPolicyManifest> Table<ManifestId, M> named(
            Flow flow, Class<M> kind, Table<ObjectKey, M> manifests) {
        return flow.rekey("backend-policies/" + kind.getSimpleName(), manifests, (key, _) -> new ManifestId(kind, key));
    }

    /// What the proxies of a group have to know about a service.
    public <K> ServiceTraffic of(Fetch<K> fetch, ProxyGroup client, String rootNamespace, MeshService service) {
        var candidates = new ArrayList<>(fetch.all(byHost, service.hostname()));
        candidates.addAll(fetch.all(byHost, ANY_HOST));
        var rule = candidates.isEmpty()
                ? Optional.<ServiceTraffic.TrafficRule>empty()
                : new RuleSelection(client, rootNamespace, domain)
                        .select(service.namespace(), service.hostname(), candidates);
        var policies = policies(fetch, service);
        return rule.isEmpty() && policies.isEmpty()
                ? ServiceTraffic.NONE
                : new ServiceTraffic(rule, tls(fetch, service, policies), retryBudget(policies));
    }

    /// Whether some rule, of whatever namespace, names such a subset of a service.
    public boolean hasSubset(Fetch<?> fetch, MeshService service, String subset) {
        return candidates(fetch, service.hostname())
                .flatMap(rule -> rule.subsets().stream())
                .anyMatch(each -> each.name().equals(subset));
    }

    private Stream<DestinationRuleManifest> candidates(Fetch<?> fetch, String host) {
        return Stream.concat(
                fetch.all(byHost, host).stream(),
                fetch.all(byHost, ANY_HOST).stream()
                        .filter(rule -> RuleSelection.covers(RuleSelection.host(rule, domain), host)));
    }

    /// Why a rule is not in effect as written.
    ///
    /// @param isKnown whether a host is that of a service, as seen from the rule's namespace
    public List<ObjectProblem> review(Fetch<?> fetch, DestinationRuleManifest rule, Predicate<String> isKnown) {
        var host = RuleSelection.host(rule, domain);
        if (RuleSelection.isWildcard(host)) {
            return List.of();
        }
        var object = ManifestId.of(rule);
        if (!isKnown.test(host)) {
            return List.of(ObjectProblem.error(
                    object,
                    "spec.host",
                    Problem.ofInput(
                            "destination-rule-host",
                            object + " is about host " + host + ", which no Service or ServiceEntry has",
                            "correct host; a name without dots means a Service of the same namespace")));
        }
        return fetch.all(byHost, host).stream()
                .filter(other -> hides(other, rule))
                .findFirst()
                .map(other -> ObjectProblem.error(
                        object,
                        "spec.trafficPolicy",
                        Problem.ofInput(
                                "destination-rule-hidden",
                                object + " has a trafficPolicy that counts nowhere: the one of DestinationRule "
                                        + other.key().path() + ", which is older, does for the same host",
                                "put both into one; subsets of both count")))
                .stream()
                .toList();
    }

    private static boolean hides(DestinationRuleManifest other, DestinationRuleManifest rule) {
        return !other.key().equals(rule.key())
                && other.namespace().equals(rule.namespace())
                && other.workloadSelector().equals(rule.workloadSelector())
                && other.exportTo().equals(rule.exportTo())
                && !(rule.policy().equals(TrafficPolicy.NONE) && rule.ports().isEmpty())
                && Metadata.OLDEST_FIRST.compare(other.metadata(), rule.metadata()) < 0;
    }

    /// Those that a service is a target of, oldest first.
    private List<BackendPolicyManifest> policies(Fetch<?> fetch, MeshService service) {
        var object = service.metadata().key();
        return fetch.all(byTarget, new PolicyTarget(service.origin(), object.namespace(), object.name())).stream()
                .filter(policy -> policy.key().cluster().equals(object.cluster()))
                .sorted(Comparator.comparing(Manifest::metadata, Metadata.OLDEST_FIRST))
                .toList();
    }

    private List<BackendTls> tls(Fetch<?> fetch, MeshService service, List<BackendPolicyManifest> policies) {
        return BackendTlsReview.applying(
                only(BackendTlsPolicyManifest.class, policies).toList(),
                target -> origin(target).filter(service.origin()::equals).isPresent()
                        && target.name().equals(service.metadata().key().name()),
                name -> fetch.one(bundles, name));
    }

    private static Optional<RetryBudget> retryBudget(List<BackendPolicyManifest> policies) {
        return only(BackendTrafficPolicyManifest.class, policies)
                .flatMap(policy -> policy.retryBudget().stream())
                .findFirst();
    }

    private static <M extends BackendPolicyManifest> Stream<M> only(
            Class<M> type, List<BackendPolicyManifest> policies) {
        return policies.stream().filter(type::isInstance).map(type::cast);
    }

    static Optional<MeshService.Origin> origin(Target target) {
        if (target.group().isEmpty() && target.kind().equals("Service")) {
            return Optional.of(MeshService.Origin.SERVICE);
        }
        return target.group().equals("networking.istio.io") && target.kind().equals("ServiceEntry")
                ? Optional.of(MeshService.Origin.SERVICE_ENTRY)
                : Optional.empty();
    }
}
