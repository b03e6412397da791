// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Timeline;
import io.fathom.control.envoy.policy.JwksStore.KeySetState;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.RequestAuthenticationManifest;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/// The policies of waypoints and gateways as tables of a flow. What asks [#http] or [#tcp] in a derivation is derived
/// again only when a policy that applies there, the settings or a key set that it uses change.
public final class EnvoyPolicies {
    private static final String WAYPOINT_CLASS = "istio-waypoint";

    private final Flow flow;
    private final PolicyInputs inputs;
    private final Index<Anchor, ObjectKey, AuthorizationPolicyManifest> authorizations;
    private final Index<Anchor, ObjectKey, RequestAuthenticationManifest> authentications;
    private final Table<JwksSource, JwksSource> wanted;
    private final Source<JwksSource, KeySetState> fetched;
    private final Table<JwksSource, String> keySets;
    private final Table<ProblemKey, ObjectProblem> problems;

    /// Reads the settings in a derivation, tracked.
    @FunctionalInterface
    public interface SettingsLookup {
        PolicySettings of(Fetch<?> fetch);
    }

    /// The tables that it reads; made before it.
    public record PolicyInputs(
            Table<ObjectKey, AuthorizationPolicyManifest> authorizations,
            Table<ObjectKey, RequestAuthenticationManifest> authentications,
            Table<ObjectKey, GatewayManifest> gateways,
            SettingsLookup settings) {}

    public EnvoyPolicies(Flow flow, PolicyInputs inputs) {
        this.flow = flow;
        this.inputs = inputs;
        authorizations = flow.index(
                "envoy/authorizations",
                inputs.authorizations(),
                policy -> Anchor.of(policy.namespace(), policy.targets(), policy.damage()));
        authentications = flow.index(
                "envoy/authentications",
                inputs.authentications(),
                policy -> Anchor.of(policy.namespace(), policy.targets(), policy.damage()));
        wanted = flow.deriveMany("envoy/key-sets/wanted", inputs.authentications(), (_, policy) -> sources(policy));
        fetched = flow.source("envoy/key-sets/fetched");
        keySets = flow.derive("envoy/key-sets", fetched, (_, state) -> state.keySet());
        var reviews = new PolicyProblems(inputs.settings(), authorizations, fetched);
        problems = flow.join(
                "envoy/policies/problems",
                List.of(
                        flow.deriveMany(
                                "envoy/authorizations/problems",
                                inputs.authorizations(),
                                (fetch, policy) -> ObjectProblem.rows(reviews.ofAuthorization(fetch, policy))),
                        flow.deriveMany(
                                "envoy/authentications/problems",
                                inputs.authentications(),
                                (fetch, policy) -> ObjectProblem.rows(reviews.ofAuthentication(fetch, policy)))));
    }

    /// The filters for an HTTP chain.
    ///
    /// @param service that the chain is for; empty where a proxy does not know it: a gateway's listener, a workload
    public HttpPolicy http(Fetch<?> fetch, ProxyGroup group, Optional<MeshService> service, Destinations destinations) {
        var policies = applied(fetch, group, service);
        return policies.isEmpty()
                ? HttpPolicy.NONE
                : PolicyFilters.http(
                        group,
                        policies,
                        inputs.settings().of(fetch),
                        destinations,
                        source -> fetch.one(keySets, source));
    }

    /// The filters for a TCP chain; for the service as in [#http].
    public TcpPolicy tcp(Fetch<?> fetch, ProxyGroup group, Optional<MeshService> service, Destinations destinations) {
        var policies = applied(fetch, group, service);
        return policies.isEmpty()
                ? TcpPolicy.NONE
                : PolicyFilters.tcp(group, policies, inputs.settings().of(fetch), destinations);
    }

    /// Which policies count there, oldest first.
    AppliedPolicies applied(Fetch<?> fetch, ProxyGroup group, Optional<MeshService> service) {
        var anchors = anchors(fetch, group, service);
        return anchors.isEmpty()
                ? AppliedPolicies.NONE
                : new AppliedPolicies(
                        selected(fetch, authorizations, anchors, group, AuthorizationPolicyManifest::selector),
                        selected(fetch, authentications, anchors, group, RequestAuthenticationManifest::selector));
    }

    /// What is wrong with policies and no condition says.
    public Table<ProblemKey, ObjectProblem> problems() {
        return problems;
    }

    /// Fetches key sets as long as policies want them, and feeds them to the flow.
    public AutoCloseable fetchKeySets(JwksFetcher fetcher, Timeline timeline, Duration refresh) {
        var store = new JwksStore(fetcher, timeline, refresh, this::publish);
        var subscription = flow.subscribe(commit -> commit.changes(wanted).forEach(change -> {
            if (change.current().isPresent()) {
                store.want(change.key());
            } else {
                store.forget(change.key());
            }
        }));
        flow.cut().of(wanted).forEach((source, _) -> store.want(source));
        return () -> {
            subscription.close();
            store.close();
        };
    }

    /// The state is looked up inside the update: whichever call comes last publishes what holds then.
    private void publish(JwksStore store, JwksSource source) {
        flow.update(update -> store.state(source)
                .ifPresentOrElse(state -> update.put(fetched, source, state), () -> update.remove(fetched, source)));
    }

    private List<Anchor> anchors(Fetch<?> fetch, ProxyGroup group, Optional<MeshService> service) {
        var gateway = Anchor.gateway(group.gateway());
        return switch (group.role()) {
            case EAST_WEST -> List.of();
            case WAYPOINT -> {
                var className = fetch.one(inputs.gateways(), group.gateway())
                        .map(GatewayManifest::className)
                        .orElse(WAYPOINT_CLASS);
                var root = inputs.settings().of(fetch).rootNamespace();
                var ofClass = Anchor.gatewayClass(root, className);
                var unknown = Stream.concat(
                                service.map(MeshService::namespace).stream(), Stream.of(group.namespace(), root))
                        .distinct()
                        .map(Anchor::anyTarget);
                yield Stream.of(service.map(Anchor::service).stream(), Stream.of(gateway, ofClass), unknown)
                        .flatMap(anchors -> anchors)
                        .toList();
            }
            case INGRESS ->
                Stream.of(
                                gateway,
                                Anchor.namespace(group.namespace()),
                                Anchor.namespace(inputs.settings().of(fetch).rootNamespace()))
                        .distinct()
                        .toList();
        };
    }

    private static <M extends Manifest> List<M> selected(
            Fetch<?> fetch,
            Index<Anchor, ObjectKey, M> index,
            List<Anchor> anchors,
            ProxyGroup group,
            Function<M, Optional<Map<String, String>>> selector) {
        var found = new TreeMap<ObjectKey, M>();
        for (var anchor : anchors) {
            for (var policy : fetch.all(index, anchor)) {
                var labels = anchor.kind() == Anchor.AnchorKind.NAMESPACE
                        ? selector.apply(policy).orElse(Map.of())
                        : Map.<String, String>of();
                if (group.labels().entrySet().containsAll(labels.entrySet())) {
                    found.put(policy.key(), policy);
                }
            }
        }
        return found.values().stream()
                .sorted(Comparator.comparing(Manifest::metadata, Metadata.OLDEST_FIRST))
                .toList();
    }

    private static Map<JwksSource, JwksSource> sources(RequestAuthenticationManifest policy) {
        var found = new TreeMap<JwksSource, JwksSource>();
        policy.rules().forEach(rule -> JwksSource.of(rule).ifPresent(source -> found.put(source, source)));
        return found;
    }
}
