// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.gateway.PolicyAuthorities.Trust;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.List;
import java.util.Optional;

/// What became of BackendTLSPolicies, at each of their ancestors. A policy is judged again when something that its
/// verdict looked at changes.
public final class BackendTlsTables {
    private static final String KIND = "BackendTLSPolicy";

    private final PolicyAncestors ancestors;
    private final PolicyRivals<BackendTlsPolicyManifest> rivals;
    private final Table<ObjectKey, CaBundleManifest> bundles;
    private final Table<ManifestId, List<ParentVerdict>> verdicts;

    /// Adds its tables to a flow.
    public BackendTlsTables(
            Flow flow,
            Table<ObjectKey, BackendTlsPolicyManifest> manifests,
            Table<ObjectKey, CaBundleManifest> bundles,
            PolicyAncestors ancestors) {
        this.bundles = bundles;
        this.ancestors = ancestors;
        rivals = new PolicyRivals<>(flow, KIND, manifests);
        var byKey = flow.derive(
                "backend-tls-policies/verdicts", manifests, (fetch, policy) -> Optional.of(judge(fetch, policy)));
        verdicts = flow.rekey(
                "backend-tls-policies/named", byKey, (key, _) -> new ManifestId(BackendTlsPolicyManifest.class, key));
    }

    /// The parents are Gateways.
    public Table<ManifestId, List<ParentVerdict>> verdicts() {
        return verdicts;
    }

    private List<ParentVerdict> judge(Fetch<ObjectKey> fetch, BackendTlsPolicyManifest policy) {
        var authorities = PolicyAuthorities.of(policy, key -> fetch.one(bundles, key));
        var resolved = authorities.wrong().stream()
                .findFirst()
                .orElseGet(() -> Finding.good("ResolvedRefs", "all that it refers to can be used"));
        return ancestors.verdicts(fetch, policy, accepted(fetch, policy, authorities), resolved);
    }

    private Finding accepted(Fetch<ObjectKey> fetch, BackendTlsPolicyManifest policy, PolicyAuthorities authorities) {
        return authorities.trust() instanceof Trust.Nobody(var reason)
                ? Finding.bad("NoValidCACertificate", "nothing is sent to its targets: " + reason)
                : rivals.defeat(fetch, policy).orElseGet(() -> Finding.good("Accepted", "in effect"));
    }
}
