package io.fathom.wire.dial;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

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
            var chains = chains(roots);
            var name = server.alternativeName();
            return server.tls()
                    .build(() -> SslContextBuilder.forClient()
                            .applicationProtocolConfig(HTTP2)
                            .trustManager(name.isPresent() ? new NamedTrust(chains, name.get()) : chains));
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("TLS cannot be set up", e);
        }
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
