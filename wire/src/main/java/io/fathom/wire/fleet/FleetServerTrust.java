// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.fleet;

import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.ChainVerifier;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import javax.net.ssl.X509TrustManager;

/// Which management server is trusted: before joining the one with the key that the token names, then one with the
/// server's name in the fleet.
abstract sealed class FleetServerTrust implements X509TrustManager {
    /// Nothing is known but the key.
    static final class Pinned extends FleetServerTrust {
        private final String fingerprint;
        private volatile boolean mismatched;

        Pinned(String fingerprint) {
            this.fingerprint = fingerprint;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            if (!FleetCertificates.fingerprint(chain[0].getPublicKey()).equals(fingerprint)) {
                mismatched = true;
                throw new CertificateException("the server shows another key than the token names");
            }
        }

        /// Whether a server has shown another key.
        boolean mismatched() {
            return mismatched;
        }
    }

    static final class Member extends FleetServerTrust {
        private final List<X509Certificate> roots;
        private final String name;
        private final InstantSource clock;

        /// @param name the SPIFFE id of the server
        Member(List<X509Certificate> roots, String name, InstantSource clock) {
            this.roots = List.copyOf(roots);
            this.name = name;
            this.clock = clock;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            var problem = ChainVerifier.problem(List.of(chain), roots, clock.instant());
            if (problem.isPresent()) {
                throw new CertificateException(problem.get().message());
            }
            if (!AlternativeNames.of(chain[0]).contains(name)) {
                throw new CertificateException("the server is not " + name);
            }
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("this side has no clients");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
