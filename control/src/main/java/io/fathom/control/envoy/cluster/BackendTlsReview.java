package io.fathom.control.envoy.cluster;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.envoy.cluster.BackendTls.Authorities;
import io.fathom.wire.kube.BackendTlsPolicyManifest;
import io.fathom.wire.kube.BackendTlsPolicyManifest.AuthorityRef;
import io.fathom.wire.kube.BackendTlsPolicyManifest.Target;
import io.fathom.wire.kube.CaBundleManifest;
import io.fathom.wire.kube.Manifest;
import io.fathom.wire.kube.Metadata;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.pki.Pem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/// What BackendTLSPolicies come to: whose certificates count, and which of several policies. Pure.
final class BackendTlsReview {
    private static final Comparator<BackendTlsPolicyManifest> OLDEST_FIRST =
            Comparator.comparing(Manifest::metadata, Metadata.OLDEST_FIRST);

    /// What a policy's references lead to.
    ///
    /// @param wrong what cannot be used of them; empty when all can
    record Resolution(Authorities authorities, List<Wrong> wrong) {}

    /// A reference that cannot be used, in the words of the Gateway API.
    record Wrong(String reason, String message) {}

    private BackendTlsReview() {}

    /// What policies mean for a target, the oldest first.
    static List<BackendTls> applying(
            List<BackendTlsPolicyManifest> policies,
            Predicate<Target> isMeant,
            Function<ObjectKey, Optional<CaBundleManifest>> bundles) {
        var found = new ArrayList<BackendTls>();
        for (var policy : policies.stream().sorted(OLDEST_FIRST).toList()) {
            var authorities = resolve(policy, bundles).authorities();
            policy.targets().stream()
                    .filter(isMeant)
                    .map(target -> new BackendTls(
                            policy.key(), target.section(), policy.hostname(), policy.subjectAltNames(), authorities))
                    .forEach(found::add);
        }
        return found;
    }

    static Resolution resolve(
            BackendTlsPolicyManifest policy, Function<ObjectKey, Optional<CaBundleManifest>> bundles) {
        if (policy.authorities().isEmpty()) {
            return policy.wellKnown().equals("System")
                    ? new Resolution(new Authorities.SystemRoots(), List.of())
                    : nobody(List.of(new Wrong(
                            "Invalid", "neither caCertificateRefs nor a known wellKnownCACertificates is given")));
        }
        var good = new ArrayList<CaBundleManifest>();
        var wrong = new ArrayList<Wrong>();
        for (var ref : policy.authorities()) {
            var bundle = isConfigMap(ref)
                    ? bundles.apply(policy.key().sibling(ref.name()))
                    : Optional.<CaBundleManifest>empty();
            check(ref, bundle).ifPresentOrElse(wrong::add, () -> good.add(bundle.orElseThrow()));
        }
        return switch (good.size()) {
            case 0 -> nobody(wrong);
            case 1 -> new Resolution(new Authorities.Bundle(good.getFirst().key()), wrong);
            default -> {
                var all = new StringBuilder();
                good.forEach(bundle -> all.append(bundle.pem()).append('\n'));
                yield new Resolution(new Authorities.Inline(all.toString()), wrong);
            }
        };
    }

    private static Resolution nobody(List<Wrong> wrong) {
        return new Resolution(new Authorities.Nobody(wrong.getFirst().message()), wrong);
    }

    private static boolean isConfigMap(AuthorityRef ref) {
        return ref.group().isEmpty() && ref.kind().equals("ConfigMap");
    }

    private static Optional<Wrong> check(AuthorityRef ref, Optional<CaBundleManifest> bundle) {
        if (!isConfigMap(ref)) {
            return Optional.of(new Wrong(
                    "InvalidKind", "CA certificates are in ConfigMaps, not in a " + ref.kind() + " " + ref.name()));
        }
        if (bundle.isEmpty()) {
            return Optional.of(
                    new Wrong("InvalidCACertificateRef", "there is no ConfigMap " + ref.name() + " with a key ca.crt"));
        }
        try {
            Pem.certificates(bundle.get().pem());
            return Optional.empty();
        } catch (ProblemException e) {
            return Optional.of(new Wrong(
                    "InvalidCACertificateRef",
                    "ca.crt of ConfigMap " + ref.name() + ": " + e.problem().message()));
        }
    }
}
