// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/// The JDK's judgement of certificates and names, for TLS of another provider. That one calls it `GENERIC` when the
/// version of TLS says nothing about how keys are agreed on; the JDK calls that `UNKNOWN`. Any thread.
final class JdkTrust extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager judge;

    private JdkTrust(X509ExtendedTrustManager judge) {
        this.judge = judge;
    }

    static TrustManager[] of(TrustManager[] managers) {
        var all = managers.clone();
        for (var i = 0; i < all.length; i++) {
            if (all[i] instanceof X509ExtendedTrustManager judge) {
                all[i] = new JdkTrust(judge);
            }
        }
        return all;
    }

    private static String known(String type) {
        return type.equals("GENERIC") ? "UNKNOWN" : type;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        judge.checkServerTrusted(chain, known(type), socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        judge.checkServerTrusted(chain, known(type), engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        judge.checkServerTrusted(chain, known(type));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        judge.checkClientTrusted(chain, known(type), socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        judge.checkClientTrusted(chain, known(type), engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        judge.checkClientTrusted(chain, known(type));
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return judge.getAcceptedIssuers();
    }
}
