// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.PemKeys;
import io.fathom.wire.pki.SigningMaterial;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/// The roots of a self-signed authority: the one that signs, the one that will, and those that did.
///
/// @param next announced to clients, signs nothing yet
/// @param retired sign nothing any more, but what they signed may still be in use
record RootState(Root active, Optional<Root> next, List<X509Certificate> retired) {
    /// A root with its key, which is never printed.
    record Root(PrivateKey key, X509Certificate certificate) {
        @Override
        public String toString() {
            return "Root[" + certificate.getSerialNumber().toString(16) + "]";
        }
    }

    RootState {
        retired = List.copyOf(retired);
    }

    /// What clients must trust: the signing root first.
    List<X509Certificate> roots() {
        var roots = new ArrayList<X509Certificate>();
        roots.add(active.certificate());
        next.ifPresent(root -> roots.add(root.certificate()));
        retired.stream().filter(root -> !roots.contains(root)).forEach(roots::add);
        return roots;
    }

    SigningMaterial material() {
        return new SigningMaterial(active.key(), List.of(active.certificate()), List.of(active.certificate()));
    }

    /// From the entries of a Secret, ours or that of another control plane of the same kind.
    ///
    /// @throws ProblemException if a certificate or key in it is not readable
    static RootState read(RootStore.Content content) {
        var active = new Root(
                PemKeys.privateKey(content.entry("ca-key.pem")),
                Pem.certificates(content.entry("ca-cert.pem")).getFirst());
        var next = content.entry("next-ca-cert.pem").isEmpty()
                ? Optional.<Root>empty()
                : Optional.of(new Root(
                        PemKeys.privateKey(content.entry("next-ca-key.pem")),
                        Pem.certificates(content.entry("next-ca-cert.pem")).getFirst()));
        var retired = new ArrayList<X509Certificate>();
        if (!content.entry("root-cert.pem").isEmpty()) {
            retired.addAll(Pem.certificates(content.entry("root-cert.pem")));
        }
        retired.remove(active.certificate());
        next.ifPresent(root -> retired.remove(root.certificate()));
        return new RootState(active, next, retired);
    }

    RootStore.Content content() {
        var entries = new HashMap<String, String>();
        entries.put("ca-cert.pem", Pem.encode(active.certificate()));
        entries.put("ca-key.pem", Pem.encode(active.key()));
        entries.put("root-cert.pem", Pem.encode(roots()));
        entries.put("cert-chain.pem", "");
        entries.put("key.pem", "");
        next.ifPresent(root -> {
            entries.put("next-ca-cert.pem", Pem.encode(root.certificate()));
            entries.put("next-ca-key.pem", Pem.encode(root.key()));
        });
        return new RootStore.Content(entries);
    }
}
