// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.CertificateSource;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.PeerRules;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/// A certificate authority with a certificate for everybody who asks.
final class TestMesh implements CertificateSource {
    static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    static final InstantSource CLOCK = InstantSource.fixed(NOW);
    static final Identity CLIENT = new Identity("cluster.local", "shop", "frontend");
    static final Identity SERVER = new Identity("cluster.local", "shop", "backend");

    final SigningMaterial material;
    private final Issuer issuer;
    private final Map<Identity, TlsIdentity> certificates = new ConcurrentHashMap<>();

    TestMesh() {
        var keys = KeyAlgorithm.P256.generate();
        var root = RootCertificate.create(keys, "cluster.local", NOW.minusSeconds(60), Duration.ofDays(3650));
        material = new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root));
        issuer = new Issuer(material);
    }

    static MeshTls tls() {
        return new MeshTls(PeerRules.of(Set.of(), CLOCK));
    }

    TlsIdentity identity(String... names) {
        var keys = KeyAlgorithm.P256.generate();
        var leaf = new Leaf(SubjectKey.of(keys.getPublic()), List.of(names), Leaf.Subject.EMPTY, Duration.ofHours(24));
        return new TlsIdentity(keys.getPrivate(), List.of(issuer.sign(leaf, NOW).certificate()), material.roots());
    }

    @Override
    public CompletionStage<TlsIdentity> certificate(Identity identity) {
        return CompletableFuture.completedFuture(certificates.computeIfAbsent(identity, who -> identity(who.uri())));
    }
}
