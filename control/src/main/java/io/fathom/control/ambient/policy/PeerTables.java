// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.policy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.LabelIndex;
import io.fathom.base.flow.Selector;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.Age;
import io.fathom.control.ambient.policy.PeerPolicies.Enforcement;
import io.fathom.control.ambient.policy.PeerPolicies.PeerPolicyLevel;
import io.fathom.control.ambient.policy.PolicyTables.RootNamespace;
import io.fathom.model.policy.Authorization;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.security.PeerAuthenticationManifest;
import io.fathom.wire.kube.security.PeerAuthenticationManifest.Mode;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// [PeerPolicies] as tables: one decision per policy with a selector, and one per namespace that has a mode.
final class PeerTables {
    /// Stands for the whole mesh among the namespaces.
    private static final String MESH = "";

    private final Flow flow;
    private final RootNamespace root;
    private final Table<String, NamespaceMode> modes;
    private final Table<String, List<String>> inheritedKeys;
    private final Table<String, List<String>> overridingKeys;
    private final Table<ObjectKey, Enforcement> decisions;
    private final Table<ObjectKey, SelectedPeer> selectors;
    private final Table<String, Authorization> converted;
    private final Table<String, Authorization> staticStrict;

    private record NamespaceMode(String namespace, Mode mode) {}

    /// @param keys what workloads list for which no older policy counts
    private record SelectedPeer(Age age, Map<String, String> labels, List<String> keys) {}

    PeerTables(Flow flow, Table<ObjectKey, PeerAuthenticationManifest> peers, RootNamespace root) {
        this.flow = flow;
        this.root = root;
        var wide = flow.index(
                "peers/wide",
                peers,
                peer -> PeerPolicies.selector(peer).isEmpty() ? Set.of(peer.namespace()) : Set.<String>of());
        this.modes = flow.reduce(
                "peers/modes",
                wide,
                (_, namespace, members) -> PeerPolicies.oldest(members)
                        .map(PeerAuthenticationManifest::mode)
                        .filter(mode -> mode != Mode.UNSET)
                        .map(mode -> new NamespaceMode(namespace, mode)));
        this.inheritedKeys = flow.deriveMany("peers/inherited", modes, this::inheritedKeys);
        var lost = flow.index(
                "peers/lost",
                peers,
                peer -> PeerPolicies.isOverriding(peer) ? Set.of(peer.namespace()) : Set.<String>of());
        var overriding = flow.reduce(
                "peers/overriding", lost, (_, namespace, _) -> Optional.of(new NamespaceMode(namespace, Mode.STRICT)));
        this.overridingKeys = flow.deriveMany("peers/overridden", overriding, this::inheritedKeys);
        this.decisions = flow.derive("peers/decisions", peers, this::decide);
        this.selectors = flow.derive("peers/selectors", peers, this::selected);
        this.converted = flow.deriveMany("peers/converted", decisions, (_, decision) -> switch (decision) {
            case Enforcement.ByPort(var policy) -> byKey(Optional.of(policy));
            case Enforcement.Open(), Enforcement.Strict() -> Map.of();
        });
        var all = flow.index("peers/all", peers, _ -> Set.of(MESH));
        var any =
                flow.reduce("peers/any", all, (fetch, _, _) -> Optional.of(PeerPolicies.staticStrict(root.of(fetch))));
        this.staticStrict = flow.deriveMany("peers/static", any, (_, policy) -> byKey(Optional.of(policy)));
    }

    /// Policies made from those PeerAuthentications that need one of their own.
    Table<String, Authorization> converted() {
        return converted;
    }

    /// The one policy for everything strict, while any PeerAuthentication exists.
    Table<String, Authorization> staticStrict() {
        return staticStrict;
    }

    /// For each object that a PeerAuthentication selects, the keys to list; an empty list where nothing is to be
    /// enforced.
    <K, V> Table<K, List<String>> keys(String name, LabelIndex<String, K, V> index) {
        var selecting = flow.select(
                name + "/selecting",
                index,
                selectors,
                peer -> Optional.of(new Selector<>(Optional.of(peer.age().key().namespace()), peer.labels())));
        return flow.derive(
                name,
                selecting,
                (_, matching) -> matching.stream()
                        .min(Comparator.comparing(SelectedPeer::age))
                        .map(SelectedPeer::keys));
    }

    /// The keys to list on objects of a namespace that no PeerAuthentication selects.
    List<String> inherited(Fetch<?> fetch, String namespace) {
        return fetch.one(inheritedKeys, namespace)
                .or(() -> fetch.one(inheritedKeys, MESH))
                .orElse(List.of());
    }

    /// The keys to list on all objects of a namespace, whatever selects them: it has, or the mesh has, a
    /// PeerAuthentication of which nobody knows whom it is for.
    Optional<List<String>> overriding(Fetch<?> fetch, String namespace) {
        return fetch.one(overridingKeys, namespace).or(() -> fetch.one(overridingKeys, MESH));
    }

    static Map<String, Authorization> byKey(Optional<Authorization> policy) {
        return policy.map(some -> Map.of(some.key(), some)).orElse(Map.of());
    }

    private Map<String, List<String>> inheritedKeys(Fetch<String> fetch, NamespaceMode mode) {
        var rootNamespace = root.of(fetch);
        var keys = PeerPolicies.keys(PeerPolicies.decide(mode.mode()), rootNamespace);
        var rows = new HashMap<String, List<String>>();
        rows.put(mode.namespace(), keys);
        if (mode.namespace().equals(rootNamespace)) {
            rows.put(MESH, keys);
        }
        return rows;
    }

    private Optional<Enforcement> decide(Fetch<ObjectKey> fetch, PeerAuthenticationManifest peer) {
        var rootNamespace = root.of(fetch);
        if (PeerPolicies.level(peer, rootNamespace) != PeerPolicyLevel.WORKLOAD) {
            return Optional.empty();
        }
        var ofNamespace = fetch.one(modes, peer.namespace()).map(NamespaceMode::mode);
        var ofMesh = fetch.one(modes, rootNamespace).map(NamespaceMode::mode);
        return Optional.of(PeerPolicies.decide(peer, PeerPolicies.inherited(ofNamespace, ofMesh)));
    }

    private Optional<SelectedPeer> selected(Fetch<ObjectKey> fetch, PeerAuthenticationManifest peer) {
        return fetch.own(decisions)
                .flatMap(decision -> PeerPolicies.selector(peer)
                        .map(labels -> new SelectedPeer(
                                Age.of(peer.metadata()), labels, PeerPolicies.keys(decision, root.of(fetch)))));
    }
}
