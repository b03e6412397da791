// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;

/// The one root of several clusters. Its key is in memory only, and goes with this object; each cluster gets an
/// intermediate of its own.
final class MeshRoot {
    private static final Duration LIFETIME = Duration.ofDays(365);

    private final KeyPair keys = KeyAlgorithm.P256.generate();
    private final X509Certificate certificate;
    private final Instant start;

    MeshRoot(Instant now) {
        start = now.minus(Duration.ofMinutes(1));
        certificate = RootCertificate.create(keys, "bin/up", start, LIFETIME);
    }

    /// Writes what a control plane signs with, as it would be plugged in anywhere.
    void plug(Path folder, String cluster) throws IOException {
        var own = KeyAlgorithm.P256.generate();
        var signer = RootCertificate.intermediate(certificate, keys.getPrivate(), own, cluster, start, LIFETIME);
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("ca-cert.pem"), Pem.encode(signer));
        Files.writeString(folder.resolve("ca-key.pem"), Pem.encode(own.getPrivate()));
        Files.writeString(folder.resolve("cert-chain.pem"), Pem.encode(signer));
        Files.writeString(folder.resolve("root-cert.pem"), Pem.encode(certificate));
    }
}
