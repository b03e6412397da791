// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeConfig.PemText;
import io.fathom.wire.kube.api.KubeConfig.Trust;
import io.fathom.wire.pki.BoringSsl;
import io.fathom.wire.pki.Pem;
import io.fathom.wire.pki.PemKeys;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/// TLS to one API server. Files are looked at again for each connection, so that renewed certificates count at once.
/// Any thread.
final class ApiTls {
    private static final char[] NO_PASSWORD = {};

    /// What the certificates said when the context was made.
    private record Made(List<String> texts, SSLContext context) {}

    private final KubeConfig config;
    private volatile @Nullable Made made;

    ApiTls(KubeConfig config) {
        this.config = config;
    }

    /// TLS on a connected socket: the handshake is done and the server is who it should be.
    SSLSocket over(Socket socket, String host, int port) throws IOException {
        var name = config.serverName().orElse(host);
        var tls = (SSLSocket) context().getSocketFactory().createSocket(socket, name, port, true);
        if (!(config.trust() instanceof Trust.Anybody)) {
            var parameters = tls.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            tls.setSSLParameters(parameters);
        }
        tls.startHandshake();
        return tls;
    }

    private SSLContext context() {
        var trusted = config.trust() instanceof Trust.Authorities own ? text(own.certificates()) : "";
        var chain = config.certificate().map(own -> text(own.chain())).orElse("");
        var key = config.certificate().map(own -> text(own.key())).orElse("");
        var texts = List.of(trusted, chain, key);
        var last = made;
        if (last != null && last.texts().equals(texts)) {
            return last.context();
        }
        try {
            var context = newContext();
            context.init(keys(chain, key), trust(trusted), null);
            made = new Made(texts, context);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw problem("the certificates for the API server at " + config.server() + " are not usable");
        }
    }

    /// The JDK's own TLS costs a start with some 30 connections a quarter of its processor time.
    private static SSLContext newContext() throws GeneralSecurityException {
        var quick = BoringSsl.provider();
        return quick.isPresent() ? SSLContext.getInstance("TLS", quick.get()) : SSLContext.getInstance("TLS");
    }

    private TrustManager[] trust(String authorities) throws GeneralSecurityException, IOException {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        if (config.trust() instanceof Trust.Public) {
            factory.init((KeyStore) null);
            return JdkTrust.of(factory.getTrustManagers());
        }
        if (config.trust() instanceof Trust.Anybody) {
            return new TrustManager[] {new TrustsAnybody()};
        }
        var store = emptyStore();
        var bytes = new ByteArrayInputStream(authorities.getBytes(StandardCharsets.US_ASCII));
        for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(bytes)) {
            store.setCertificateEntry("authority-" + store.size(), certificate);
        }
        if (store.size() == 0) {
            throw problem("there is no certificate of an authority for the API server at " + config.server());
        }
        factory.init(store);
        return JdkTrust.of(factory.getTrustManagers());
    }

    private static KeyManager @Nullable [] keys(String chain, String key) throws GeneralSecurityException, IOException {
        if (chain.isEmpty()) {
            return null;
        }
        var store = emptyStore();
        var certificates = Pem.certificates(chain).toArray(X509Certificate[]::new);
        store.setKeyEntry("own", PemKeys.privateKey(key), NO_PASSWORD, certificates);
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static String text(PemText pem) {
        return pem instanceof PemText.File file ? read(file.path()) : ((PemText.Inline) pem).text();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw problem(file + " cannot be read: " + Kubeconfig.reason(e));
        }
    }

    private static ProblemException problem(String message) {
        return new ProblemException(new Problem(
                "kube-certificates-unusable",
                message,
                "check the certificates and keys that the kubeconfig names",
                Problem.Origin.CLIENT,
                Problem.Retry.SENSIBLE));
    }

    private static final class TrustsAnybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
