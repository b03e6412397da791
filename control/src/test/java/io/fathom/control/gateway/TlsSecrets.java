// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// Secrets with certificates, as YAML.
public final class TlsSecrets {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final KeyPair KEYS = KeyAlgorithm.P256.generate();
    private static final String CERTIFICATE = certificate();
    private static final String OTHER_KEY =
            Pem.encode(KeyAlgorithm.P256.generate().getPrivate());

    private TlsSecrets() {}

    /// A key with its certificate.
    public static String good(String namespace, String name) {
        return secret(namespace, name, "kubernetes.io/tls", Pem.encode(KEYS.getPrivate()));
    }

    /// The same of the type that Secrets have when nobody says.
    public static String opaque(String namespace, String name) {
        return secret(namespace, name, "Opaque", Pem.encode(KEYS.getPrivate()));
    }

    /// Of a type that is for other things.
    public static String ofAnotherType(String namespace, String name) {
        return secret(namespace, name, "kubernetes.io/ssh-auth", Pem.encode(KEYS.getPrivate()));
    }

    /// The key of another certificate.
    public static String mismatched(String namespace, String name) {
        return secret(namespace, name, "kubernetes.io/tls", OTHER_KEY);
    }

    private static String secret(String namespace, String name, String type, String key) {
        return """
                {apiVersion: v1, kind: Secret, metadata: {name: %s, namespace: %s}, type: %s, data: {tls.crt: %s, tls.key: %s}}
                """.formatted(name, namespace, type, encoded(CERTIFICATE), encoded(key));
    }

    /// Of a server, signed by itself.
    private static String certificate() {
        try {
            var name = new X500Name("CN=edge");
            var end = Date.from(START.plus(Duration.ofDays(3650)));
            var builder = new JcaX509v3CertificateBuilder(
                    name, BigInteger.ONE, Date.from(START), end, name, KEYS.getPublic());
            var signed = builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(KEYS.getPrivate()));
            return Pem.encode(new JcaX509CertificateConverter().getCertificate(signed));
        } catch (OperatorCreationException | CertificateException e) {
            throw new AssertionError(e);
        }
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }
}
