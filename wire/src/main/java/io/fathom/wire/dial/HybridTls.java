// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.conscrypt.Conscrypt;

/// TLS by Conscrypt, which knows X25519MLKEM768. Apart from [GrpcSocket], so that its native library is loaded only
/// where it is asked for. Stateless.
final class HybridTls {
    private HybridTls() {}

    /// @throws GeneralSecurityException where the library does not load
    static SSLContext context(X509ExtendedTrustManager trust) throws GeneralSecurityException {
        if (!Conscrypt.isAvailable()) {
            throw new GeneralSecurityException("Conscrypt does not load, and the JDK has no X25519MLKEM768");
        }
        var context = SSLContext.getInstance("TLS", Conscrypt.newProvider());
        context.init(null, new TrustManager[] {new SigningTrust(trust)}, null);
        return context;
    }
}
