// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.fathom.wire.tls.PolicyContext;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;

/// TLS towards the control plane: the server shows a certificate, we may show a token later; then HTTP/2.
final class ControlTls {
    private static final ApplicationProtocolConfig HTTP2 = new ApplicationProtocolConfig(
            ApplicationProtocolConfig.Protocol.ALPN,
            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
            ApplicationProtocolNames.HTTP_2);

    private ControlTls() {}

    /// @param roots none for those of the machine
    static SslContext context(List<X509Certificate> roots, ServerConfig server) {
        try {
            var trust = TrustedChains.of(roots, server);
            return PolicyContext.of(
                    server.tls(),
                    () -> SslContextBuilder.forClient()
                            .applicationProtocolConfig(HTTP2)
                            .trustManager(trust));
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("TLS cannot be set up", e);
        }
    }
}
