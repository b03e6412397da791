// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/// Which servers are trusted, for whatever does the TLS.
final class TrustedChains {
    private TrustedChains() {}

    /// @param roots none for those of the machine
    static X509ExtendedTrustManager of(List<X509Certificate> roots, ServerConfig server)
            throws GeneralSecurityException, IOException {
        var chains = chains(roots);
        var name = server.alternativeName();
        return name.isPresent() ? new NamedTrust(chains, name.get()) : chains;
    }

    private static X509ExtendedTrustManager chains(List<X509Certificate> roots)
            throws GeneralSecurityException, IOException {
        @Nullable KeyStore store = null;
        if (!roots.isEmpty()) {
            store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < roots.size(); i++) {
                store.setCertificateEntry("root-" + i, roots.get(i));
            }
        }
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return Stream.of(factory.getTrustManagers())
                .filter(X509ExtendedTrustManager.class::isInstance)
                .map(X509ExtendedTrustManager.class::cast)
                .findFirst()
                .orElseThrow();
    }
}
