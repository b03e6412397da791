// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.gateway.BackendTrafficPolicyManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;

/// What became of XBackendTrafficPolicies, at each of their ancestors. A policy is judged again when something that its
/// verdict looked at changes.
public final class BackendTrafficTables {
    private static final String KIND = "XBackendTrafficPolicy";

    private final Table<ManifestId, List<ParentVerdict>> verdicts;

    /// Adds its tables to a flow.
    public BackendTrafficTables(
            Flow flow, Table<ObjectKey, BackendTrafficPolicyManifest> manifests, PolicyAncestors ancestors) {
        var rivals = new PolicyRivals<>(flow, KIND, manifests);
        var byKey = flow.derive(
                "backend-traffic-policies/verdicts",
                manifests,
                (fetch, policy) -> Optional.of(ancestors.verdicts(
                        fetch,
                        policy,
                        accepted(fetch, policy, rivals),
                        Finding.good("ResolvedRefs", "it refers to nothing but its targets"))));
        verdicts = flow.rekey(
                "backend-traffic-policies/named",
                byKey,
                (key, _) -> new ManifestId(BackendTrafficPolicyManifest.class, key));
    }

    /// The parents are Gateways.
    public Table<ManifestId, List<ParentVerdict>> verdicts() {
        return verdicts;
    }

    private static Finding accepted(
            Fetch<ObjectKey> fetch,
            BackendTrafficPolicyManifest policy,
            PolicyRivals<BackendTrafficPolicyManifest> rivals) {
        var effect = policy.ignored().isEmpty()
                ? "in effect"
                : "in effect, but for what no proxy can do: " + String.join(", ", policy.ignored());
        return rivals.defeat(fetch, policy).orElseGet(() -> Finding.good("Accepted", effect));
    }
}
