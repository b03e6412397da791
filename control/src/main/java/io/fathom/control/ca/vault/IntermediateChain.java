// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Problem.Origin;
import io.fathom.base.lang.Problem.Retry;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.MaterialCheck;
import io.fathom.wire.pki.SigningMaterial;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedCollection;

/// Makes signing material of the certificates that Vault sent, and takes none of it on trust: the certificate must be
/// for our key, must be allowed to sign, be valid now, and lead through authorities that permit it to a root. Pure.
final class IntermediateChain {
    private static final int MAX_CERTIFICATES = 10;
    private static final int KEY_CERT_SIGN = 5;

    private IntermediateChain() {}

    /// @param signer what was signed for the public key of `keys`
    /// @param others authorities that may be needed, in any order
    /// @param pinnedRoots if any, the chain must end at one of these, and all that are alive are handed out
    static SigningMaterial assemble(
            KeyPair keys,
            X509Certificate signer,
            SequencedCollection<X509Certificate> others,
            SequencedCollection<X509Certificate> pinnedRoots,
            Instant now) {
        if (!signer.getPublicKey().equals(keys.getPublic())) {
            throw problem(
                    "vault-wrong-key",
                    "Vault signed another key than the one it was sent",
                    "look into Vault's audit log");
        }
        var known = new LinkedHashSet<>(others);
        known.addAll(pinnedRoots);
        var path = path(signer, known);
        var root = path.removeLast();
        if (!pinnedRoots.isEmpty() && !pinnedRoots.contains(root)) {
            throw problem(
                    "vault-root-not-trusted",
                    "Vault's chain ends at the root " + name(root) + ", which is not in the file of roots",
                    "add that root to the file if it is meant, or name another mount or issuer");
        }
        path.forEach(certificate -> requireUsable(certificate, path.indexOf(certificate), now));
        requireUsable(root, path.size(), now);
        var roots = new LinkedHashSet<>(List.of(root));
        pinnedRoots.stream().filter(pinned -> end(pinned).isAfter(now)).forEach(roots::add);
        var material = new SigningMaterial(keys.getPrivate(), path, List.copyOf(roots));
        MaterialCheck.problem(material, now).ifPresent(problem -> {
            throw new ProblemException(problem);
        });
        return material;
    }

    /// From the signer to a root, each certificate signed by the next one.
    private static List<X509Certificate> path(X509Certificate signer, SequencedCollection<X509Certificate> known) {
        var path = new ArrayList<>(List.of(signer));
        while (!isSignedBy(path.getLast(), path.getLast())) {
            var last = path.getLast();
            var next = issuer(last, known);
            if (next.isEmpty() || path.size() == MAX_CERTIFICATES) {
                throw problem(
                        "vault-root-unknown",
                        "Vault does not know the issuer of " + name(last) + ", so the chain has no root",
                        "import the missing certificates into the mount, or name a file with the root");
            }
            path.add(next.get());
        }
        if (path.size() == 1) {
            throw problem(
                    "vault-not-intermediate",
                    "Vault answered with a self-signed certificate",
                    "check that the mount is a PKI engine");
        }
        return path;
    }

    private static Optional<X509Certificate> issuer(X509Certificate of, SequencedCollection<X509Certificate> known) {
        // a root first: with cross-signed authorities the shortest way is the one that clients can follow
        return known.stream()
                .filter(candidate -> isSignedBy(of, candidate))
                .sorted((one, other) -> Boolean.compare(isSignedBy(other, other), isSignedBy(one, one)))
                .findFirst();
    }

    static boolean isSignedBy(X509Certificate certificate, X509Certificate authority) {
        if (!certificate.getIssuerX500Principal().equals(authority.getSubjectX500Principal())) {
            return false;
        }
        try {
            certificate.verify(authority.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /// @param below how many authorities come between this one and a workload
    private static void requireUsable(X509Certificate authority, int below, Instant now) {
        var usage = Optional.ofNullable(authority.getKeyUsage());
        if (authority.getBasicConstraints() < 0
                || usage.filter(bits -> !bits[KEY_CERT_SIGN]).isPresent()) {
            throw problem(
                    "vault-not-intermediate",
                    name(authority) + " in Vault's chain may not sign certificates",
                    "use an issuer with basic constraint CA and key usage keyCertSign");
        }
        if (authority.getBasicConstraints() < below) {
            throw problem(
                    "vault-path-length",
                    name(authority) + " allows " + authority.getBasicConstraints() + " authorities below it, but "
                            + below + " are needed",
                    "use an issuer with a path length of " + below + " or more");
        }
        if (authority.getNotBefore().toInstant().isAfter(now)) {
            throw problem(
                    "vault-clock-skew",
                    name(authority) + " is valid only from "
                            + authority.getNotBefore().toInstant() + ", now is " + now,
                    "set the clocks of Vault and of fathomd");
        }
        if (!end(authority).isAfter(now)) {
            throw problem(
                    "vault-chain-expired",
                    name(authority) + " in Vault's chain expired at " + end(authority),
                    "renew that authority in Vault, and set the clocks");
        }
    }

    private static Instant end(X509Certificate certificate) {
        return certificate.getNotAfter().toInstant();
    }

    private static String name(X509Certificate certificate) {
        return "\"" + certificate.getSubjectX500Principal().getName() + "\"";
    }

    private static ProblemException problem(String code, String message, String fix) {
        return new ProblemException(new Problem(code, message, fix, Origin.MESH, Retry.SENSIBLE));
    }
}
