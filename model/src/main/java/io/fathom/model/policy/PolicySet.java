// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.policy;

import io.fathom.base.flow.PersistentMap;
import io.fathom.model.mesh.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// All policies of a mesh, found by key and by what they apply to. Immutable; a change makes a new set that shares the
/// rest with the old one.
public final class PolicySet {
    public static final PolicySet EMPTY = new PolicySet(PersistentMap.empty(), PersistentMap.empty());

    /// Where policies for every namespace are kept.
    private static final String EVERYWHERE = "";

    private final PersistentMap<String, Policy> byKey;
    private final PersistentMap<String, List<Policy>> byNamespace;

    private PolicySet(PersistentMap<String, Policy> byKey, PersistentMap<String, List<Policy>> byNamespace) {
        this.byKey = byKey;
        this.byNamespace = byNamespace;
    }

    public static PolicySet of(List<Authorization> authorizations) {
        var set = EMPTY;
        for (var authorization : authorizations) {
            set = set.with(authorization);
        }
        return set;
    }

    /// Adds it or takes the place of the one with the same key; the same set if that one is equal.
    public PolicySet with(Authorization authorization) {
        var old = byKey.get(authorization.key());
        if (old != null && old.source().equals(authorization)) {
            return this;
        }
        var policy = Policy.compile(authorization);
        var rest = without(policy.key());
        return new PolicySet(
                rest.byKey.with(policy.key(), policy), change(rest.byNamespace, authorization, List.of(policy)));
    }

    /// The same set if there is no such policy.
    public PolicySet without(String key) {
        var old = byKey.get(key);
        return old == null ? this : new PolicySet(byKey.without(key), change(byNamespace, old.source(), List.of()));
    }

    private static PersistentMap<String, List<Policy>> change(
            PersistentMap<String, List<Policy>> groups, Authorization about, List<Policy> added) {
        if (about.scope() == Authorization.Scope.WORKLOAD_SELECTOR) {
            return groups;
        }
        var place = about.scope() == Authorization.Scope.GLOBAL ? EVERYWHERE : about.namespace();
        var policies = new ArrayList<>(at(groups, place));
        policies.removeIf(policy -> policy.key().equals(about.key()));
        policies.addAll(added);
        policies.sort(Comparator.comparing(Policy::key));
        return policies.isEmpty() ? groups.without(place) : groups.with(place, List.copyOf(policies));
    }

    private static List<Policy> at(PersistentMap<String, List<Policy>> groups, String place) {
        var policies = groups.get(place);
        return policies == null ? List.of() : policies;
    }

    /// The policies for every namespace, for the workload's namespace, and those it names; unknown names are left out.
    public List<Policy> applicable(Workload workload) {
        var global = at(byNamespace, EVERYWHERE);
        List<Policy> own = workload.namespace().isEmpty() ? List.of() : at(byNamespace, workload.namespace());
        var named = workload.authorizationPolicies();
        if (named.isEmpty() && (global.isEmpty() || own.isEmpty())) {
            return global.isEmpty() ? own : global;
        }
        var all = new ArrayList<Policy>(global.size() + own.size() + named.size());
        all.addAll(global);
        all.addAll(own);
        for (var key : named) {
            var policy = byKey.get(key);
            if (policy != null && !all.contains(policy)) {
                all.add(policy);
            }
        }
        return all;
    }

    /// The names that the workload wants enforced although no such policy is known: worth a warning.
    public List<String> unknown(Workload workload) {
        return workload.authorizationPolicies().stream()
                .filter(key -> !byKey.containsKey(key))
                .toList();
    }

    public List<Authorization> all() {
        var all = new ArrayList<Authorization>(byKey.size());
        byKey.forEach((_, policy) -> all.add(policy.source()));
        all.sort(Comparator.comparing(Authorization::key));
        return all;
    }

    public int size() {
        return byKey.size();
    }
}
