// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/// What all sides that dial have in common: they judge servers that were dialled, and have no clients.
abstract class DiallingTrust extends X509ExtendedTrustManager {
    /// Checks chains, and names where there is a connection to take them from.
    protected final X509ExtendedTrustManager chains;

    DiallingTrust(X509ExtendedTrustManager chains) {
        this.chains = chains;
    }

    @Override
    public final void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("a server without a name is not trusted");
    }

    @Override
    public final void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        throw noClients();
    }

    @Override
    public final void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        throw noClients();
    }

    @Override
    public final void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw noClients();
    }

    private static CertificateException noClients() {
        return new CertificateException("this side has no clients");
    }

    @Override
    public final X509Certificate[] getAcceptedIssuers() {
        return chains.getAcceptedIssuers();
    }
}
