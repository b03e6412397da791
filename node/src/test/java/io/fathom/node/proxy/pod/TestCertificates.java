// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.CertificateSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/// Certificates of a root of its own, for anybody who asks.
final class TestCertificates implements CertificateSource {
    private final Instant now = Instant.now();
    private final SigningMaterial root = root();
    private final Issuer issuer = new Issuer(root);
    private final ConcurrentHashMap<Identity, CompletionStage<TlsIdentity>> issued = new ConcurrentHashMap<>();

    private SigningMaterial root() {
        var keys = KeyAlgorithm.P256.generate();
        var certificate = RootCertificate.create(keys, "cluster.local", now.minusSeconds(60), Duration.ofDays(10));
        return new SigningMaterial(keys.getPrivate(), List.of(certificate), List.of(certificate));
    }

    @Override
    public CompletionStage<TlsIdentity> certificate(Identity identity) {
        return issued.computeIfAbsent(identity, this::issue);
    }

    private CompletionStage<TlsIdentity> issue(Identity identity) {
        var keys = KeyAlgorithm.P256.generate();
        var leaf = new Leaf(
                SubjectKey.of(keys.getPublic()), List.of(identity.uri()), Leaf.Subject.EMPTY, Duration.ofHours(1));
        var certificate = issuer.sign(leaf, now).certificate();
        return CompletableFuture.completedFuture(
                new TlsIdentity(keys.getPrivate(), List.of(certificate), root.roots()));
    }
}
