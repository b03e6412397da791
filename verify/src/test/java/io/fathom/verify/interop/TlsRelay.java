// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import io.fathom.wire.pki.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/// Lends its certificate to programs that have none: whatever connects to its port on loopback is connected to a server
/// over mutual TLS, as HTTP/2. With the JDK's TLS, so that ours is met by another one.
final class TlsRelay implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final SSLContext tls;
    private final String host;
    private final int port;

    TlsRelay(TlsIdentity own, String host, int port) throws IOException, GeneralSecurityException {
        this.tls = context(own);
        this.host = host;
        this.port = port;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                var client = listener.accept();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException e) {
                return; // it was closed
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                var server = (SSLSocket) tls.getSocketFactory().createSocket(host, port)) {
            open.add(client);
            open.add(server);
            var parameters = server.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            server.setSSLParameters(parameters);
            server.startHandshake();
            Thread.ofVirtual().start(() -> copy(client, server));
            copy(server, client);
        } catch (IOException e) {
            // one of them has gone: the other one is closed
        } finally {
            open.remove(client);
        }
    }

    /// Until there is no more; then both are closed.
    private void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // the same end
        } finally {
            open.remove(from);
        }
    }

    private static SSLContext context(TlsIdentity own) throws GeneralSecurityException, IOException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("own", own.key(), new char[0], own.chain().toArray(X509Certificate[]::new));
        for (int i = 0; i < own.roots().size(); i++) {
            store.setCertificateEntry("root-" + i, own.roots().get(i));
        }
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (var socket : open) {
            socket.close();
        }
    }
}
