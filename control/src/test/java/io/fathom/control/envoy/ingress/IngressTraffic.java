// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/// A client outside the mesh.
final class IngressTraffic {
    private static final int PATIENCE_MILLIS = 30_000;

    private IngressTraffic() {}

    /// What came back.
    ///
    /// @param subject of the server's certificate; empty without TLS
    record Answer(String subject, String text) {
        String status() {
            return text.substring(0, text.indexOf("\r\n"));
        }
    }

    static Answer plain(int port, String host) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            return new Answer("", ask(socket, host));
        }
    }

    /// Fails when the handshake does.
    static Answer secure(int port, String host, SSLContext context) throws IOException {
        try (var socket = (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            var parameters = new SSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(host)));
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            var certificate = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            return new Answer(certificate.getSubjectX500Principal().getName(), ask(socket, host));
        }
    }

    private static String ask(Socket socket, String host) throws IOException {
        var request = "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        var text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        if (text.isEmpty()) {
            throw new IOException("closed without an answer");
        }
        return text;
    }
}
