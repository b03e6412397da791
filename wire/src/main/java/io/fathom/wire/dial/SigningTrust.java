// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/// Tells the JDK in its own words that a server signs, as every server does in TLS 1.3: the word that Conscrypt has for
/// it is unknown there.
final class SigningTrust extends DiallingTrust {
    private static final String SIGNS = "UNKNOWN";

    SigningTrust(X509ExtendedTrustManager chains) {
        super(chains);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        chains.checkServerTrusted(chain, SIGNS, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        chains.checkServerTrusted(chain, SIGNS, engine);
    }
}
