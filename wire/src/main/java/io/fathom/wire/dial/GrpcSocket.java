// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.dial;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.http2.GrpcQuestion;
import io.fathom.wire.http2.GrpcRefusal;
import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

/// One question and one answer like [GrpcCall], without Netty: for programs that must be small. TLS is the JDK's, but
/// for the key exchange that the JDK does not know. Blocks its caller; any number of threads.
public final class GrpcSocket {
    private static final String[] HTTP2 = {"h2"};
    private static final String[] HYBRID = {"X25519MLKEM768"};
    private static final String[] APPROVED = {"secp256r1", "secp384r1"};
    private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

    private GrpcSocket() {}

    /// Connects, asks, and closes.
    ///
    /// @param method `package.Service/Method`
    /// @param timeout for each step: connecting, the handshake, and silence while the answer is due
    /// @throws ProblemException when roots or token cannot be read
    /// @throws GrpcRefusal when the server gives another answer
    /// @throws IOException when it gives none
    public static byte[] ask(ServerConfig server, String method, byte[] question, Duration timeout) throws IOException {
        var headers = headers(server);
        var context = context(server);
        var millis = (int) timeout.toMillis();
        try (var socket = new Socket()) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(millis);
            socket.connect(new InetSocketAddress(server.host(), server.port()), millis);
            try (var tls =
                    (SSLSocket) context.getSocketFactory().createSocket(socket, server.host(), server.port(), true)) {
                secure(tls, server.tls().exchange());
                return new GrpcQuestion(tls.getInputStream(), tls.getOutputStream())
                        .ask(server.toString(), method, headers, question);
            }
        } catch (SocketTimeoutException e) {
            throw new IOException("no answer from " + server + " within " + timeout.toSeconds() + "s", e);
        }
    }

    private static void secure(SSLSocket tls, KeyExchange exchange) throws IOException {
        var parameters = tls.getSSLParameters();
        switch (exchange) {
            case ANY -> {}
            case FIPS_140_2 -> parameters.setNamedGroups(APPROVED);
            case POST_QUANTUM -> parameters.setNamedGroups(HYBRID);
        }
        parameters.setProtocols(VERSIONS);
        parameters.setApplicationProtocols(HTTP2);
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        tls.setSSLParameters(parameters);
        tls.startHandshake();
    }

    private static SSLContext context(ServerConfig server) {
        try {
            var trust = TrustedChains.of(server.trust().roots(), server);
            if (server.tls().exchange() == KeyExchange.POST_QUANTUM) {
                return HybridTls.context(trust);
            }
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {trust}, null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("TLS cannot be set up", e);
        }
    }

    private static Map<String, String> headers(ServerConfig server) {
        var headers = new HashMap<String, String>();
        headers.put("clusterid", server.clusterId());
        server.token().read().ifPresent(token -> headers.put("authorization", "Bearer " + token));
        server.headers().forEach((name, value) -> headers.put(name.toLowerCase(Locale.ROOT), value));
        return headers;
    }
}
