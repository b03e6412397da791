package io.fathom.control.gateway;

import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.RootCertificate;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;

/// Secrets with certificates, as YAML.
public final class TlsSecrets {
    private static final KeyPair KEYS = KeyAlgorithm.P256.generate();
    private static final String CERTIFICATE = Pem.encode(
            RootCertificate.create(KEYS, "edge", Instant.parse("2026-01-01T00:00:00Z"), Duration.ofDays(3650)));
    private static final String OTHER_KEY =
            Pem.encode(KeyAlgorithm.P256.generate().getPrivate());

    private TlsSecrets() {}

    /// A key with its certificate.
    public static String good(String namespace, String name) {
        return secret(namespace, name, "kubernetes.io/tls", Pem.encode(KEYS.getPrivate()));
    }

    /// Of a type that is not for listeners.
    public static String opaque(String namespace, String name) {
        return secret(namespace, name, "Opaque", Pem.encode(KEYS.getPrivate()));
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

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }
}
