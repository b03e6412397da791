// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// Which certificates were revoked by those who issued them. A list counts only for the very authority that signed
/// it, not for another of the same name; an authority without a list revokes nothing; a list that is out of date
/// still counts. Immutable but for what it remembers of signatures; any thread.
public final class RevocationList {
    /// Revokes nothing.
    public static final RevocationList EMPTY = new RevocationList(List.of());

    private final List<X509CRL> lists;
    private final Map<Signed, Boolean> signatures = new ConcurrentHashMap<>();

    private record Signed(int list, PublicKey key) {}

    private RevocationList(List<X509CRL> lists) {
        this.lists = lists;
    }

    /// Any number of lists in PEM, or one in DER; none in an empty file.
    ///
    /// @throws ProblemException when it is something else
    public static RevocationList parse(String name, byte[] content) {
        if (content.length == 0) {
            return EMPTY;
        }
        try {
            var lists = CertificateFactory.getInstance("X.509").generateCRLs(new ByteArrayInputStream(content)).stream()
                    .map(X509CRL.class::cast)
                    .toList();
            if (lists.isEmpty()) {
                throw malformed(name);
            }
            return new RevocationList(lists);
        } catch (CRLException | CertificateException | RuntimeException e) {
            throw malformed(name);
        }
    }

    private static ProblemException malformed(String name) {
        return new ProblemException(Problem.ofInput(
                "crl-malformed",
                name + " holds no certificate revocation list",
                "put one list in DER or any number in PEM there"));
    }

    public boolean isEmpty() {
        return lists.isEmpty();
    }

    /// The first certificate of a peer's chain that is revoked.
    ///
    /// @param roots where issuers are looked for besides the chain
    public Optional<X509Certificate> revoked(List<X509Certificate> chain, List<X509Certificate> roots) {
        return lists.isEmpty()
                ? Optional.empty()
                : chain.stream()
                        .filter(certificate -> isRevoked(certificate, chain, roots))
                        .findFirst();
    }

    private boolean isRevoked(X509Certificate certificate, List<X509Certificate> chain, List<X509Certificate> roots) {
        for (int i = 0; i < lists.size(); i++) {
            var list = lists.get(i);
            if (list.getIssuerX500Principal().equals(certificate.getIssuerX500Principal())
                    && list.getRevokedCertificate(certificate.getSerialNumber()) != null
                    && isFromIssuer(i, certificate, chain, roots)) {
                return true;
            }
        }
        return false;
    }

    private boolean isFromIssuer(
            int list, X509Certificate certificate, List<X509Certificate> chain, List<X509Certificate> roots) {
        return Stream.concat(chain.stream(), roots.stream())
                .filter(issuer -> issuer.getSubjectX500Principal().equals(certificate.getIssuerX500Principal()))
                .map(X509Certificate::getPublicKey)
                .distinct()
                .filter(key -> signs(key, certificate))
                .anyMatch(key -> signatures.computeIfAbsent(new Signed(list, key), this::verifies));
    }

    private static boolean signs(PublicKey key, X509Certificate certificate) {
        try {
            certificate.verify(key);
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private boolean verifies(Signed signed) {
        try {
            lists.get(signed.list()).verify(signed.key());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
