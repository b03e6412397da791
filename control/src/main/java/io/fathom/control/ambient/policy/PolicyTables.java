// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.LabelIndex;
import io.fathom.base.flow.Labels;
import io.fathom.base.flow.Selector;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.control.ambient.status.StatusCondition;
import io.fathom.model.policy.Authorization;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import io.fathom.wire.kube.security.PeerAuthenticationManifest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// The policies of the mesh as tables of a flow: what is served, what is said about it, and which workloads name it.
///
/// A policy touches only the workloads it concerns: those its labels select, or those of its namespace, and only if
/// what they list changes.
public final class PolicyTables {
    private final Flow flow;
    private final Table<ObjectKey, AuthorizationPolicyManifest> policies;
    private final RootNamespace root;
    private final Table<ObjectKey, L4Policies.L4PolicyResult> results;
    private final Table<ObjectKey, SelectedPolicy> selectors;
    private final PeerTables peers;
    private final Table<String, Authorization> authorizations;

    /// Reads the root namespace in a derivation, tracked.
    @FunctionalInterface
    public interface RootNamespace {
        String of(Fetch<?> fetch);
    }

    /// Reads what is known about the target of a policy, tracked.
    @FunctionalInterface
    public interface Targets {
        TargetedPolicies.Target find(Fetch<?> fetch, ObjectKey policy, TargetedPolicies.TargetKind kind, String name);
    }

    /// A policy for some workloads only.
    ///
    /// @param scope the namespace it reaches, or all
    private record SelectedPolicy(String key, Optional<String> scope, Map<String, String> labels) {}

    public PolicyTables(
            Flow flow,
            Table<ObjectKey, AuthorizationPolicyManifest> policies,
            Table<ObjectKey, PeerAuthenticationManifest> peers,
            RootNamespace root,
            L4Policies.Options options) {
        this.flow = flow;
        this.policies = policies;
        this.root = root;
        this.results = flow.derive(
                "policies/results",
                policies,
                (fetch, policy) -> Optional.of(L4Policies.convert(policy, root.of(fetch), options)));
        this.selectors = flow.derive("policies/selectors", policies, this::selected);
        this.peers = new PeerTables(flow, peers, root);
        var served = flow.deriveMany("policies/served", results, (_, result) -> PeerTables.byKey(result.served()));
        this.authorizations = flow.join(
                "policies/authorizations", List.of(served, this.peers.converted(), this.peers.staticStrict()));
    }

    /// By resource name.
    public Table<String, Authorization> authorizations() {
        return authorizations;
    }

    /// The status of each AuthorizationPolicy.
    public Table<ObjectKey, ObjectStatus> statuses(Targets targets) {
        return flow.derive("policies/statuses", policies, (fetch, policy) -> {
            var ztunnel = fetch.own(results).flatMap(L4Policies.L4PolicyResult::condition);
            var waypoint = policy.targets().isEmpty()
                    ? Optional.<StatusCondition>empty()
                    : TargetedPolicies.judge(judge(fetch, policy, policy.targets(), targets), policy.damage());
            var conditions =
                    Stream.of(ztunnel, waypoint).flatMap(Optional::stream).toList();
            return Optional.of(new ObjectStatus(conditions, List.of())).filter(status -> !status.isEmpty());
        });
    }

    /// The status of policies of another kind: whether what they target leads to a waypoint.
    public <M extends Manifest> Table<ObjectKey, ObjectStatus> statuses(
            String name, Table<ObjectKey, M> others, Function<M, List<PolicyTarget>> attached, Targets targets) {
        return flow.derive(
                name,
                others,
                (fetch, policy) -> TargetedPolicies.judge(
                                judge(fetch, policy, attached.apply(policy), targets), policy.damage())
                        .map(ObjectStatus::of));
    }

    private Optional<StatusCondition> judge(
            Fetch<ObjectKey> fetch, Manifest policy, List<PolicyTarget> attached, Targets targets) {
        return TargetedPolicies.judge(
                attached,
                policy.namespace(),
                root.of(fetch),
                (kind, name) -> targets.find(fetch, policy.key(), kind, name));
    }

    /// The status of PeerAuthentications: only those that cannot be read as a whole have one.
    public Table<ObjectKey, ObjectStatus> peerStatuses(Table<ObjectKey, PeerAuthenticationManifest> peers) {
        return flow.derive(
                "peers/statuses",
                peers,
                (_, peer) -> peer.damage().map(L4Policies::damaged).map(ObjectStatus::of));
    }

    /// The keys of the policies that each workload lists: those that select it, sorted, then that of its peer
    /// authentication. No row when there are none.
    ///
    /// @param labels the scope is the workload's namespace
    public <K, V> Table<K, List<String>> keys(String name, Table<K, V> workloads, Function<V, Labels<String>> labels) {
        return keys(name, workloads, labels, flow.labels(name + "/labels", workloads, labels));
    }

    /// The same on an index that exists already.
    public <K, V> Table<K, List<String>> keys(
            String name, Table<K, V> workloads, Function<V, Labels<String>> labels, LabelIndex<String, K, V> index) {
        var selecting = flow.select(
                name + "/policies",
                index,
                selectors,
                policy -> Optional.of(new Selector<>(policy.scope(), policy.labels())));
        var peerKeys = peers.keys(name + "/peers", index);
        return flow.derive(name, workloads, (fetch, workload) -> {
            var selected = fetch.own(selecting).orElse(List.of());
            var namespace = labels.apply(workload).scope();
            var peer = peers.overriding(fetch, namespace)
                    .or(() -> fetch.own(peerKeys))
                    .orElseGet(() -> peers.inherited(fetch, namespace));
            return Optional.of(list(selected, peer)).filter(keys -> !keys.isEmpty());
        });
    }

    /// Most workloads list what their namespace says and nothing else: they share that list.
    private static List<String> list(List<SelectedPolicy> selected, List<String> peer) {
        if (selected.isEmpty()) {
            return peer;
        }
        var keys = selected.stream().map(SelectedPolicy::key).distinct().sorted();
        return Stream.concat(keys, peer.stream()).toList();
    }

    private Optional<SelectedPolicy> selected(Fetch<ObjectKey> fetch, AuthorizationPolicyManifest policy) {
        var served = fetch.own(results).flatMap(L4Policies.L4PolicyResult::served);
        var scope = Optional.of(policy.namespace()).filter(namespace -> !namespace.equals(root.of(fetch)));
        return served.flatMap(authorization ->
                L4Policies.selector(policy).map(labels -> new SelectedPolicy(authorization.key(), scope, labels)));
    }
}
