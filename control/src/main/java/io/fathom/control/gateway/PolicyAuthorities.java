// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest.AuthorityRef;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.pki.Pem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Whose signatures a BackendTLSPolicy trusts, as far as what it refers to can be used. Pure.
///
/// @param wrong what cannot be used; empty when all can
public record PolicyAuthorities(Trust trust, List<Finding> wrong) {
    /// Who may sign for a server.
    public sealed interface Trust {
        /// At least one ConfigMap.
        record Bundles(List<CaBundleManifest> bundles) implements Trust {
            public Bundles {
                bundles = List.copyOf(bundles);
            }
        }

        /// Public authorities.
        record SystemRoots() implements Trust {}

        /// Nobody: nothing may be sent.
        record Nobody(String reason) implements Trust {}
    }

    public PolicyAuthorities {
        wrong = List.copyOf(wrong);
    }

    /// What the references of a policy lead to.
    public static PolicyAuthorities of(
            BackendTlsPolicyManifest policy, Function<ObjectKey, Optional<CaBundleManifest>> bundles) {
        if (policy.authorities().isEmpty()) {
            return policy.wellKnown().equals("System")
                    ? new PolicyAuthorities(new Trust.SystemRoots(), List.of())
                    : nobody(List.of(Finding.bad(
                            "InvalidCACertificateRef",
                            "it names no CA certificates; add caCertificateRefs, or wellKnownCACertificates: System")));
        }
        var good = new ArrayList<CaBundleManifest>();
        var wrong = new ArrayList<Finding>();
        for (var ref : policy.authorities()) {
            var bundle = bundles.apply(policy.key().sibling(ref.name())).filter(_ -> isConfigMap(ref));
            bundle.ifPresent(good::add);
            check(ref, bundle).ifPresent(finding -> {
                wrong.add(finding);
                bundle.ifPresent(good::remove);
            });
        }
        return good.isEmpty() ? nobody(wrong) : new PolicyAuthorities(new Trust.Bundles(good), wrong);
    }

    private static PolicyAuthorities nobody(List<Finding> wrong) {
        return new PolicyAuthorities(new Trust.Nobody(wrong.getFirst().message()), wrong);
    }

    private static boolean isConfigMap(AuthorityRef ref) {
        return ref.group().isEmpty() && ref.kind().equals("ConfigMap");
    }

    private static Optional<Finding> check(AuthorityRef ref, Optional<CaBundleManifest> bundle) {
        if (!isConfigMap(ref)) {
            return Optional.of(Finding.bad(
                    "InvalidKind", "CA certificates are in ConfigMaps, not in a " + ref.kind() + " " + ref.name()));
        }
        if (bundle.isEmpty()) {
            return Optional.of(Finding.bad(
                    "InvalidCACertificateRef", "there is no ConfigMap " + ref.name() + " with a key ca.crt"));
        }
        try {
            Pem.certificates(bundle.get().pem());
            return Optional.empty();
        } catch (ProblemException e) {
            return Optional.of(Finding.bad(
                    "InvalidCACertificateRef",
                    "ca.crt of ConfigMap " + ref.name() + ": " + e.problem().message()));
        }
    }
}
