package io.fathom.app.fathomd;

import io.fathom.app.fathomd.http.Page;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.xds.AdsConfig;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.IOException;
import java.time.Instant;
import javax.net.ssl.SSLException;

/// How the TLS port proves who it is.
record TlsPort(int port, SslContext context, ServingCertificate certificate) {
    /// Makes key and certificate, and writes the root where the configuration wants it.
    static TlsPort open(FathomdConfig config, Instant now) {
        var certificate = SelfSignedServing.create(config, now);
        config.rootCertFile().ifPresent(file -> {
            try {
                SelfSignedServing.writeRoot(certificate, file);
            } catch (IOException e) {
                throw new ProblemException(Problem.ofInput(
                        "root-cert-not-written",
                        "--root-cert-file: " + file + " cannot be written: " + e.getMessage(),
                        "name a file in a folder that fathomd may write to"));
            }
        });
        return new TlsPort(config.tlsPort(), context(certificate), certificate);
    }

    AdsConfig addTo(AdsConfig config) {
        return config.withTls(port, context);
    }

    Page.Reply rootPage() {
        return Page.Reply.text(Pem.encode(certificate.root()));
    }

    private static SslContext context(ServingCertificate certificate) {
        try {
            return SslContextBuilder.forServer(certificate.key(), certificate.chain())
                    .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                    .applicationProtocolConfig(new ApplicationProtocolConfig(
                            Protocol.ALPN,
                            SelectorFailureBehavior.NO_ADVERTISE,
                            SelectedListenerFailureBehavior.ACCEPT,
                            ApplicationProtocolNames.HTTP_2))
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("no TLS with the certificate we made", e);
        }
    }
}
