// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.model.mesh.Identity;
import io.fathom.wire.pki.AlternativeNames;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/// Shakes hands with a gateway to see who answers. We show nothing ourselves: with TLS 1.3 the other side shows its
/// certificates first. Nothing is trusted here; whoever asks looks at what came. Blocks the caller.
final class GatewayProbe {
    private GatewayProbe() {}

    /// What came of it.
    sealed interface ProbeResult {
        /// Somebody showed certificates.
        ///
        /// @param chain as it was shown, its leaf first
        record Answered(List<X509Certificate> chain) implements ProbeResult {
            List<Identity> identities() {
                return AlternativeNames.identities(chain.getFirst());
            }
        }

        record Silent(String reason) implements ProbeResult {}
    }

    static ProbeResult probe(String host, int port, Duration patience) {
        var millis = Math.toIntExact(patience.toMillis());
        try (var plain = new Socket()) {
            plain.connect(new InetSocketAddress(host, port), millis);
            plain.setSoTimeout(millis);
            return shake(plain, host, port);
        } catch (SocketTimeoutException _) {
            return new ProbeResult.Silent("no answer within " + patience.toSeconds() + " s");
        } catch (ConnectException e) {
            return new ProbeResult.Silent("connection refused");
        } catch (SSLException e) {
            return new ProbeResult.Silent("no TLS 1.3 there: " + e.getMessage());
        } catch (IOException e) {
            return new ProbeResult.Silent(String.valueOf(e.getMessage()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a JDK has TLS", e);
        }
    }

    private static ProbeResult shake(Socket plain, String host, int port) throws IOException, GeneralSecurityException {
        var context = SSLContext.getInstance("TLSv1.3");
        context.init(null, new TrustManager[] {new Onlooker()}, null);
        try (var socket = (SSLSocket) context.getSocketFactory().createSocket(plain, host, port, true)) {
            var parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            var chain = Arrays.stream(socket.getSession().getPeerCertificates())
                    .map((Certificate certificate) -> (X509Certificate) certificate)
                    .toList();
            return new ProbeResult.Answered(chain);
        }
    }

    /// Lets everybody show what they have.
    private static final class Onlooker extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
