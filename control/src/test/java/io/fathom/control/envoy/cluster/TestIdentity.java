// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.envoyproxy.envoy.config.core.v3.DataSource;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.Secret;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsCertificate;
import io.fathom.wire.pki.Issuer;
import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Leaf;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import io.fathom.wire.pki.SigningMaterial;
import io.fathom.wire.pki.SubjectKey;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// An authority of a test, and what it signs.
final class TestIdentity {
    private final Instant now = InstantSource.system().instant();
    private final SigningMaterial root;
    private final Issuer issuer;

    TestIdentity(String organization) {
        var keys = KeyAlgorithm.P256.generate();
        var certificate = RootCertificate.create(keys, organization, now.minusSeconds(300), Duration.ofDays(1));
        root = new SigningMaterial(keys.getPrivate(), List.of(certificate), List.of(certificate));
        issuer = new Issuer(root);
    }

    String rootPem() {
        return Pem.encode(root.roots());
    }

    /// `default` and `ROOTCA` for a bootstrap.
    List<Secret> secrets(String name) {
        var keys = KeyAlgorithm.P256.generate();
        var leaf = issuer.sign(leaf(keys, name), now);
        return List.of(
                Secret.newBuilder()
                        .setName("default")
                        .setTlsCertificate(TlsCertificate.newBuilder()
                                .setCertificateChain(text(leaf.pem()))
                                .setPrivateKey(text(Pem.encode(keys.getPrivate()))))
                        .build(),
                Secret.newBuilder()
                        .setName("ROOTCA")
                        .setValidationContext(
                                CertificateValidationContext.newBuilder().setTrustedCa(text(rootPem())))
                        .build());
    }

    /// For a server of that name.
    SSLContext server(String name) {
        try {
            var keys = KeyAlgorithm.P256.generate();
            var leaf = issuer.sign(leaf(keys, name), now).certificate();
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("key", keys.getPrivate(), new char[0], new java.security.cert.Certificate[] {leaf});
            var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, new char[0]);
            var context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Leaf leaf(java.security.KeyPair keys, String name) {
        return new Leaf(SubjectKey.of(keys.getPublic()), List.of(name), Leaf.Subject.EMPTY, Duration.ofHours(1));
    }

    private static DataSource text(String text) {
        return DataSource.newBuilder().setInlineString(text).build();
    }
}
