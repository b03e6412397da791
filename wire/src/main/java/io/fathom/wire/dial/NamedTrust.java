// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.fathom.wire.pki.AlternativeNames;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Locale;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/// Accepts a server that has the name that was dialled or, failing that, a second name. The chain is checked
/// alike.
final class NamedTrust extends DiallingTrust {
    private final String alternative;

    NamedTrust(X509ExtendedTrustManager chains, String alternative) {
        super(chains);
        this.alternative = alternative;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        try {
            chains.checkServerTrusted(chain, type, engine);
        } catch (CertificateException e) {
            chains.checkServerTrusted(chain, type); // says nothing of names
            if (!hasName(chain[0], alternative)) {
                throw e;
            }
        }
    }

    static boolean hasName(X509Certificate certificate, String wanted) {
        var name = wanted.toLowerCase(Locale.ROOT);
        return AlternativeNames.of(certificate).stream()
                .map(text -> text.toLowerCase(Locale.ROOT))
                .anyMatch(text -> text.equals(name) || isWildcardOf(text, name));
    }

    /// `*.x` stands for one label before `.x`.
    private static boolean isWildcardOf(String text, String name) {
        var dot = name.indexOf('.');
        return text.startsWith("*.") && dot > 0 && text.substring(1).equals(name.substring(dot));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        try {
            chains.checkServerTrusted(chain, type, socket);
        } catch (CertificateException e) {
            chains.checkServerTrusted(chain, type);
            if (!hasName(chain[0], alternative)) {
                throw e;
            }
        }
    }
}
