// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import io.fathom.wire.pki.TlsIdentity;
import io.fathom.wire.tls.CertificateSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/// A certificate authority with a certificate for everybody who asks; our control plane may use it, too.
final class LabAuthority implements CertificateSource {
    private static final InstantSource CLOCK = InstantSource.system();

    private final SigningMaterial material;
    private final Issuer issuer;
    private final Map<Identity, TlsIdentity> certificates = new ConcurrentHashMap<>();

    LabAuthority() {
        var keys = KeyAlgorithm.P256.generate();
        var root =
                RootCertificate.create(keys, "cluster.local", CLOCK.instant().minusSeconds(60), Duration.ofDays(365));
        material = new SigningMaterial(keys.getPrivate(), List.of(root), List.of(root));
        issuer = new Issuer(material);
    }

    /// Made when it is asked for the first time.
    TlsIdentity of(Identity identity) {
        return certificates.computeIfAbsent(identity, this::create);
    }

    TlsIdentity create(Identity identity) {
        var keys = KeyAlgorithm.P256.generate();
        var leaf = new Leaf(
                SubjectKey.of(keys.getPublic()), List.of(identity.uri()), Leaf.Subject.EMPTY, Duration.ofHours(24));
        var certificate = issuer.sign(leaf, CLOCK.instant()).certificate();
        return new TlsIdentity(keys.getPrivate(), List.of(certificate), material.roots());
    }

    @Override
    public CompletionStage<TlsIdentity> certificate(Identity identity) {
        return CompletableFuture.completedFuture(of(identity));
    }

    /// As a control plane takes them.
    Path plug(Path folder) throws IOException {
        Files.createDirectories(folder);
        var root = Pem.encode(material.signer());
        Files.writeString(folder.resolve("ca-cert.pem"), root);
        Files.writeString(folder.resolve("ca-key.pem"), Pem.encode(material.key()));
        Files.writeString(folder.resolve("cert-chain.pem"), root);
        Files.writeString(folder.resolve("root-cert.pem"), root);
        return folder;
    }
}
