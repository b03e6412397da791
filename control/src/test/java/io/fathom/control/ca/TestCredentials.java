// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.wire.auth.Credentials;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/// What callers present in tests.
final class TestCredentials {
    private TestCredentials() {}

    static Credentials none() {
        return of(List.of(), Optional.empty(), Optional.empty());
    }

    static Credentials token(String token) {
        return of(List.of(), Optional.of(token), Optional.empty());
    }

    static Credentials token(String token, String cluster) {
        return of(List.of(), Optional.of(token), Optional.of(cluster));
    }

    static Credentials certificate(X509Certificate certificate) {
        return of(List.of(certificate), Optional.empty(), Optional.empty());
    }

    static Credentials plaintext(String token) {
        return new Credentials(
                Credentials.Channel.PLAINTEXT,
                List.of(),
                Optional.of(token),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    static Credentials forwarded(String header, String from) {
        return new Credentials(
                Credentials.Channel.TLS,
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(header),
                Optional.of(InetAddress.ofLiteral(from)));
    }

    private static Credentials of(
            List<X509Certificate> certificates, Optional<String> token, Optional<String> cluster) {
        return new Credentials(
                Credentials.Channel.TLS, certificates, token, cluster, Optional.empty(), Optional.empty());
    }
}
