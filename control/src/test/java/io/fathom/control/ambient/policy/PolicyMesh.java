// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import static io.fathom.control.ambient.PolicyManifests.ROOT;
import static io.fathom.control.ambient.PolicyManifests.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.flow.Change;
import io.fathom.base.flow.Failures;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Labels;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.AuthorizationText;
import io.fathom.control.ambient.policy.TargetedPolicies.Target;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.model.policy.Authorization;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.PeerAuthenticationManifest;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// A flow with policies and labelled workloads only; each call is one update.
final class PolicyMesh {
    /// A workload as far as policies see it.
    record Labelled(String namespace, Map<String, String> labels) {}

    private final Flow flow = new Flow(Failures.rethrown());
    private final Source<String, String> settings = flow.source("settings");
    private final Source<ObjectKey, AuthorizationPolicyManifest> policies = flow.source("policies");
    private final Source<ObjectKey, PeerAuthenticationManifest> peers = flow.source("peers");
    private final Source<ObjectKey, Labelled> workloads = flow.source("workloads");
    private final Source<String, Target> targets = flow.source("targets");
    private final PolicyTables tables = new PolicyTables(
            flow, policies, peers, fetch -> fetch.one(settings, "root").orElse(ROOT), L4Policies.Options.DEFAULT);
    private final Table<ObjectKey, ObjectStatus> statuses =
            tables.statuses((fetch, _, _, name) -> fetch.one(targets, name).orElse(new Target.Missing()));
    private final Table<ObjectKey, List<String>> keys =
            tables.keys("keys", workloads, workload -> new Labels<>(workload.namespace(), workload.labels()));
    private List<String> changedWorkloads = List.of();
    private List<String> changedPolicies = List.of();

    PolicyMesh() {
        var _ = flow.subscribe(commit -> {
            changedWorkloads = commit.changes(keys).stream()
                    .map(Change::key)
                    .map(ObjectKey::path)
                    .sorted()
                    .toList();
            changedPolicies = commit.changes(tables.authorizations()).stream()
                    .map(Change::key)
                    .sorted()
                    .toList();
        });
    }

    void put(AuthorizationPolicyManifest policy) {
        flow.update(u -> u.put(policies, policy.key(), policy));
    }

    void put(PeerAuthenticationManifest peer) {
        flow.update(u -> u.put(peers, peer.key(), peer));
    }

    void removePolicy(String path) {
        flow.update(u -> u.remove(policies, key(path)));
    }

    void removePeer(String path) {
        flow.update(u -> u.remove(peers, key(path)));
    }

    void workload(String path, Map<String, String> labels) {
        flow.update(u -> u.put(workloads, key(path), new Labelled(key(path).namespace(), labels)));
    }

    void removeWorkload(String path) {
        flow.update(u -> u.remove(workloads, key(path)));
    }

    void bind(String name, Target target) {
        flow.update(u -> u.put(targets, name, target));
    }

    void rootNamespace(String namespace) {
        flow.update(u -> u.put(settings, "root", namespace));
    }

    /// Workloads whose list changed in the last update.
    List<String> changedWorkloads() {
        return changedWorkloads;
    }

    /// Resources that changed in the last update.
    List<String> changedPolicies() {
        return changedPolicies;
    }

    List<String> listed(String path) {
        return flow.cut().of(keys).find(key(path)).orElse(List.of());
    }

    SortedMap<String, Authorization> authorizations() {
        var all = new TreeMap<String, Authorization>();
        flow.cut().of(tables.authorizations()).forEach(all::put);
        return all;
    }

    List<String> conditions(String path) {
        return flow.cut().of(statuses).find(key(path)).orElse(ObjectStatus.NOTHING).conditions().stream()
                .map(condition -> condition.type() + "=" + condition.status().text() + "/" + condition.reason())
                .toList();
    }

    /// Whether the policies a workload lists, all of which must be served, refuse a caller without identity.
    boolean refusesAnonymous(String path, int port) {
        var served = flow.cut().of(tables.authorizations());
        assertThat(listed(path)).allSatisfy(key -> assertThat(served.find(key)).isPresent());
        return listed(path).stream()
                .map(key -> served.find(key).orElseThrow())
                .anyMatch(policy -> AuthorizationText.matchesAnonymous(policy, port));
    }

    /// All that this mesh says, for comparison with another.
    String state() {
        var all = new TreeMap<String, Object>();
        flow.cut().of(keys).forEach((key, listed) -> all.put("workload " + key.path(), listed));
        flow.cut().of(statuses).forEach((key, status) -> all.put("status " + key.path(), status));
        authorizations().forEach((key, policy) -> all.put("policy " + key, AuthorizationText.of(policy)));
        return all.toString();
    }
}
