// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.identity;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Roots and certificates for tests.
final class Certificates {
    static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

    private Certificates() {}

    static Identity identity(String account) {
        return new Identity("cluster.local", "ns", account);
    }

    static SigningMaterial root(String organization, Instant now) {
        var keys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(keys, organization, now.minusSeconds(60), Duration.ofDays(365));
        return new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root));
    }

    static TlsIdentity issue(SigningMaterial signer, Identity identity, Duration lifetime, Instant now) {
        var keys = KeyAlgorithm.P256.generate();
        var leaf = new Issuer(signer)
                .sign(
                        new Leaf(
                                SubjectKey.of(keys.getPublic()), List.of(identity.uri()), Leaf.Subject.EMPTY, lifetime),
                        now);
        return new TlsIdentity(keys.getPrivate(), List.of(leaf.certificate()), signer.roots());
    }
}
