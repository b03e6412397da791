package io.fathom.control.deploy;

import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.MisreadException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.Optional;

/// Looks whether a Secret holds a certificate and a key. Nothing of it is kept. Pure.
final class SecretCheck {
    private SecretCheck() {}

    /// Empty when it does, else why not.
    static Optional<String> fault(KubeObject secret) {
        try {
            var data = secret.root().at("data");
            var certificate = decoded(data.at("tls.crt").text());
            var key = decoded(data.at("tls.key").text());
            if (certificate.length == 0 || key.length == 0) {
                return Optional.of("it needs the entries tls.crt and tls.key");
            }
            if (CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(certificate))
                    .isEmpty()) {
                return Optional.of("tls.crt holds no certificate");
            }
            return new String(key, StandardCharsets.ISO_8859_1).contains("PRIVATE KEY-----")
                    ? Optional.empty()
                    : Optional.of("tls.key is no private key in PEM form");
        } catch (CertificateException e) {
            return Optional.of("tls.crt is no certificate in PEM form");
        } catch (IllegalArgumentException | MisreadException e) {
            return Optional.of("its entries cannot be read");
        }
    }

    private static byte[] decoded(String text) {
        return Base64.getDecoder().decode(text);
    }
}
