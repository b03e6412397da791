// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import io.fathom.model.mesh.Identity;
import io.fathom.model.trust.TrustMap;
import io.fathom.model.trust.TrustRoot;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.pki.TrustPool;
import io.fathom.wire.pki.TrustRoots;
import io.fathom.wire.tls.CertificateSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/// A certificate authority with a certificate for everybody who asks; our control plane may use it, too.
public final class LabAuthority implements CertificateSource {
    private static final InstantSource CLOCK = InstantSource.system();

    private final SigningMaterial material;
    private final Issuer issuer;
    private final Map<Identity, TlsIdentity> certificates = new ConcurrentHashMap<>();
    private volatile TrustPool trust;

    public LabAuthority() {
        var keys = KeyAlgorithm.P256.generate();
        var root =
                RootCertificate.create(keys, "cluster.local", CLOCK.instant().minusSeconds(60), Duration.ofDays(365));
        material = new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root));
        issuer = new Issuer(material);
        trust = TrustPool.ofAnyDomain(material.roots());
    }

    /// The roots of this authority.
    List<TrustRoot> roots() {
        return TrustRoots.of(material.roots());
    }

    /// From now on this is what holders of its certificates verify peers with.
    void trust(Map<String, LabAuthority> domains) {
        var map = new TreeMap<String, List<TrustRoot>>();
        domains.forEach((domain, authority) -> map.put(domain, authority.roots()));
        trust = TrustPool.of(new TrustMap(map));
        certificates.clear();
    }

    private LabAuthority(SigningMaterial material) {
        this.material = material;
        issuer = new Issuer(material);
        trust = TrustPool.ofAnyDomain(material.roots());
    }

    /// Another one, with a key of its own, for which this one vouches: what it signs leads to the same root.
    public LabAuthority intermediate(String name) {
        var keys = KeyAlgorithm.P256.generate();
        var below = RootCertificate.intermediate(
                material.signer(), material.key(), keys, name, CLOCK.instant().minusSeconds(60), Duration.ofDays(30));
        return new LabAuthority(new SigningMaterial(keys.getPrivate(), List.of(below), List.of(material.signer())));
    }

    /// Made when it is asked for the first time.
    TlsIdentity of(Identity identity) {
        return certificates.computeIfAbsent(identity, this::create);
    }

    TlsIdentity create(Identity identity) {
        var keys = KeyAlgorithm.P256.generate();
        var leaf = new Leaf(
                SubjectKey.of(keys.getPublic()), List.of(identity.uri()), Leaf.Subject.EMPTY, Duration.ofHours(24));
        var chain = new ArrayList<>(List.of(issuer.sign(leaf, CLOCK.instant()).certificate()));
        chain.addAll(material.intermediates());
        return new TlsIdentity(keys.getPrivate(), chain, trust);
    }

    @Override
    public CompletionStage<TlsIdentity> certificate(Identity identity) {
        return CompletableFuture.completedFuture(of(identity));
    }

    /// As a control plane takes them.
    public Path plug(Path folder) throws IOException {
        Files.createDirectories(folder);
        var signer = Pem.encode(material.signer());
        Files.writeString(folder.resolve("ca-cert.pem"), signer);
        Files.writeString(folder.resolve("ca-key.pem"), Pem.encode(material.key()));
        Files.writeString(folder.resolve("cert-chain.pem"), signer);
        Files.writeString(folder.resolve("root-cert.pem"), Pem.encode(material.roots()));
        return folder;
    }
}
