// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.control.envoy.cluster.BackendTls.Authorities;
import io.fathom.control.gateway.PolicyAuthorities;
import io.fathom.control.gateway.PolicyAuthorities.Trust;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.gateway.BackendPolicyManifest.Target;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/// What BackendTLSPolicies mean for a service. Pure.
final class BackendTlsReview {
    private BackendTlsReview() {}

    /// What policies mean for a target, in their order.
    static List<BackendTls> applying(
            List<BackendTlsPolicyManifest> policies,
            Predicate<Target> isMeant,
            Function<ObjectKey, Optional<CaBundleManifest>> bundles) {
        var found = new ArrayList<BackendTls>();
        for (var policy : policies) {
            var authorities = authorities(PolicyAuthorities.of(policy, bundles).trust());
            policy.targets().stream()
                    .filter(isMeant)
                    .map(target -> new BackendTls(
                            policy.key(), target.section(), policy.hostname(), policy.subjectAltNames(), authorities))
                    .forEach(found::add);
        }
        return found;
    }

    private static Authorities authorities(Trust trust) {
        return switch (trust) {
            case Trust.SystemRoots() -> new Authorities.SystemRoots();
            case Trust.Nobody(var reason) -> new Authorities.Nobody(reason);
            case Trust.Bundles(var bundles) -> {
                if (bundles.size() == 1) {
                    yield new Authorities.Bundle(bundles.getFirst().key());
                }
                var all = new StringBuilder();
                bundles.forEach(bundle -> all.append(bundle.pem()).append('\n'));
                yield new Authorities.Inline(all.toString());
            }
        };
    }
}
