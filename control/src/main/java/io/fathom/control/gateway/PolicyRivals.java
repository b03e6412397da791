// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.gateway.PolicyAncestors.PolicyBackend;
import io.fathom.wire.kube.gateway.BackendPolicyManifest;
import io.fathom.wire.kube.gateway.BackendPolicyManifest.Target;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;
import java.util.stream.Collectors;

/// Which of several policies of a kind counts at a target that they share: the oldest.
final class PolicyRivals<M extends BackendPolicyManifest> {
    private final String kind;
    private final Index<PolicyBackend, ObjectKey, M> policies;

    /// Adds its index to a flow.
    PolicyRivals(Flow flow, String kind, Table<ObjectKey, M> manifests) {
        this.kind = kind;
        policies = flow.index(
                kind + "/by-backend",
                manifests,
                policy -> policy.targets().stream()
                        .map(target -> PolicyBackend.of(policy, target))
                        .collect(Collectors.toSet()));
    }

    /// Why a policy counts nowhere; empty when it does somewhere.
    Optional<Finding> defeat(Fetch<?> fetch, M policy) {
        var rivals = policy.targets().stream()
                .map(target -> older(fetch, policy, target))
                .toList();
        if (!rivals.stream().allMatch(Optional::isPresent)) {
            return Optional.empty();
        }
        return Optional.of(rivals.stream()
                .flatMap(Optional::stream)
                .findFirst()
                .map(rival -> Finding.bad(
                        "Conflicted", kind + " " + rival.key().path() + " is older and has the same targets"))
                .orElseGet(() -> Finding.bad("TargetNotFound", "it has no targetRefs")));
    }

    private Optional<M> older(Fetch<?> fetch, M policy, Target target) {
        return fetch.all(policies, PolicyBackend.of(policy, target)).stream()
                .filter(other -> other.targets().contains(target))
                .filter(other -> Metadata.OLDEST_FIRST.compare(other.metadata(), policy.metadata()) < 0)
                .findFirst();
    }
}
