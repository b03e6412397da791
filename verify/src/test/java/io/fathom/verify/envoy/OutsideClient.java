// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import io.fathom.wire.pki.TlsIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.StandardConstants;
import javax.net.ssl.TrustManagerFactory;

/// A client that is no member of the mesh.
final class OutsideClient {
    private static final int PATIENCE_MILLIS = 30_000;

    private final String ip;
    private final TlsIdentity trusted;

    /// @param trusted by whose authority servers are to be known
    OutsideClient(String ip, TlsIdentity trusted) {
        this.ip = ip;
        this.trusted = trusted;
    }

    private static SSLContext trusting(TlsIdentity trusted) {
        try {
            var roots = KeyStore.getInstance("PKCS12");
            roots.load(null, null);
            roots.setCertificateEntry("root", trusted.roots().getFirst());
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(roots);
            var context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }

    /// The answer to a GET request: status line, headers and body. Empty when there is none.
    String get(int port, String host) {
        return get(port, host, "/");
    }

    String get(int port, String host, String path) {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(ip, port), PATIENCE_MILLIS);
            return ask(socket, host, path);
        } catch (IOException e) {
            return "";
        }
    }

    /// The answer to some bytes after which nothing more is said. Empty when there is none.
    String say(int port, String words) {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(ip, port), PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(words.getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /// The answer to a GET request inside TLS.
    String secure(int port, String host) {
        return secure(port, host, host);
    }

    /// A request over a connection that was opened for another host.
    String secure(int port, String serverName, String host) {
        try (var socket = handshake(port, serverName)) {
            return ask(socket, host, "/");
        } catch (IOException e) {
            return "";
        }
    }

    /// The name in the certificate that is shown for a host; empty when there is none.
    String certificate(int port, String host) {
        try (var socket = handshake(port, host)) {
            var shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            return shown.getSubjectAlternativeNames().iterator().next().get(1).toString();
        } catch (IOException | GeneralSecurityException e) {
            return "";
        }
    }

    private SSLSocket handshake(int port, String host) throws IOException {
        // One for each: sessions of one host would be resumed at another, with the certificate of the first.
        var socket = (SSLSocket) trusting(trusted).getSocketFactory().createSocket();
        socket.connect(new InetSocketAddress(ip, port), PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
        var parameters = new SSLParameters();
        parameters.setServerNames(List.of(new ServerName(host)));
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    /// Also one with underscores, as sidecars write it, which no host can have.
    private static final class ServerName extends SNIServerName {
        ServerName(String name) {
            super(StandardConstants.SNI_HOST_NAME, name.getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static String ask(Socket socket, String host, String path) throws IOException {
        socket.setSoTimeout(PATIENCE_MILLIS);
        var request = "GET " + path + " HTTP/1.1\r\nhost: " + host + "\r\nconnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
}
