// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.pki;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/// Checks a path of certificates against roots at a given time, as RFC 5280 has it, without revocation.
public final class ChainVerifier {
    private ChainVerifier() {}

    /// Empty if the first certificate of `path` leads through the others, in order, to one of the roots. A root in the
    /// path itself is fine.
    public static Optional<Problem> problem(List<X509Certificate> path, List<X509Certificate> roots, Instant now) {
        if (path.isEmpty() || roots.isEmpty()) {
            return Optional.of(problem("chain-incomplete", "there is no certificate or no root to verify"));
        }
        var trusted = new HashSet<>(roots);
        if (trusted.contains(path.getFirst())) {
            return expired(path.getFirst(), now);
        }
        var untrusted = path.stream()
                .takeWhile(certificate -> !trusted.contains(certificate))
                .toList();
        try {
            var anchors = new HashSet<TrustAnchor>();
            roots.forEach(root -> anchors.add(new TrustAnchor(root, null)));
            var parameters = new PKIXParameters(anchors);
            parameters.setRevocationEnabled(false);
            parameters.setDate(Date.from(now));
            var certificates = CertificateFactory.getInstance("X.509").generateCertPath(untrusted);
            CertPathValidator.getInstance("PKIX").validate(certificates, parameters);
        } catch (CertPathValidatorException e) {
            return Optional.of(problem("chain-not-trusted", "the chain does not verify: " + e.getReason()));
        } catch (GeneralSecurityException e) {
            return Optional.of(problem("chain-not-trusted", "the chain cannot be verified"));
        }
        // the JDK does not look at the lifetime of anchors
        return roots.stream().allMatch(root -> expired(root, now).isPresent())
                ? expired(roots.getFirst(), now)
                : Optional.empty();
    }

    private static Optional<Problem> expired(X509Certificate certificate, Instant now) {
        var ended = now.isAfter(certificate.getNotAfter().toInstant());
        if (!ended && !now.isBefore(certificate.getNotBefore().toInstant())) {
            return Optional.empty();
        }
        return Optional.of(problem(
                ended ? "certificate-expired" : "certificate-not-yet-valid",
                "'" + certificate.getSubjectX500Principal() + "' is valid from "
                        + certificate.getNotBefore().toInstant() + " to "
                        + certificate.getNotAfter().toInstant()));
    }

    private static Problem problem(String code, String message) {
        return new Problem(
                code,
                message,
                "order the chain from the signer up, and add the root that signed it",
                Origin.SERVER,
                Retry.POINTLESS);
    }
}
