// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.TlsIdentity;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;

/// A mutual TLS handshake in memory, by the JDK, which knows nothing of how our certificates are made.
final class TestHandshake {
    private TestHandshake() {}

    /// @throws SSLException if one side does not accept the other
    static void run(TlsIdentity client, TlsIdentity server) throws Exception {
        var clientEngine = context(client).createSSLEngine();
        clientEngine.setUseClientMode(true);
        var serverEngine = context(server).createSSLEngine();
        serverEngine.setUseClientMode(false);
        serverEngine.setNeedClientAuth(true);
        clientEngine.beginHandshake();
        serverEngine.beginHandshake();
        var toServer = ByteBuffer.allocate(64 * 1024);
        var toClient = ByteBuffer.allocate(64 * 1024);
        for (var rounds = 0; rounds < 100 && !(done(clientEngine) && done(serverEngine)); rounds++) {
            step(clientEngine, toServer, toClient);
            step(serverEngine, toClient, toServer);
        }
        if (!done(clientEngine) || !done(serverEngine)) {
            throw new SSLException("the handshake did not end");
        }
        var seen = (X509Certificate) serverEngine.getSession().getPeerCertificates()[0];
        if (!AlternativeNames.of(seen).equals(AlternativeNames.of(client.leaf()))) {
            throw new SSLException("the server saw somebody else");
        }
    }

    private static boolean done(SSLEngine engine) {
        return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
    }

    private static void step(SSLEngine engine, ByteBuffer out, ByteBuffer in) throws SSLException {
        var scratch = ByteBuffer.allocate(32 * 1024);
        while (true) {
            for (var task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
                task.run();
            }
            switch (engine.getHandshakeStatus()) {
                case NEED_WRAP -> engine.wrap(ByteBuffer.allocate(0), out);
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    in.flip();
                    var before = in.remaining();
                    if (before > 0) {
                        engine.unwrap(in, scratch);
                    }
                    var after = in.remaining();
                    in.compact();
                    if (before == after) {
                        return;
                    }
                }
                case NEED_TASK -> {}
                case FINISHED, NOT_HANDSHAKING -> {
                    return;
                }
            }
        }
    }

    private static SSLContext context(TlsIdentity identity) throws Exception {
        var trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        for (var root : identity.roots()) {
            trusted.setCertificateEntry(root.getSerialNumber().toString(16), root);
        }
        var trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(trusted);
        var context = SSLContext.getInstance("TLSv1.3");
        context.init(new KeyManager[] {new OwnKey(identity)}, trust.getTrustManagers(), null);
        return context;
    }

    /// A key store would encrypt the key with many rounds, each time.
    private static final class OwnKey extends X509ExtendedKeyManager {
        private static final String ALIAS = "own";
        private final TlsIdentity identity;

        OwnKey(TlsIdentity identity) {
            this.identity = identity;
        }

        @Override
        public String[] getClientAliases(String keyType, Principal[] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String chooseClientAlias(String[] keyType, Principal[] issuers, Socket socket) {
            return ALIAS;
        }

        @Override
        public String chooseEngineClientAlias(String[] keyType, Principal[] issuers, SSLEngine engine) {
            return ALIAS;
        }

        @Override
        public String[] getServerAliases(String keyType, Principal[] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
            return ALIAS;
        }

        @Override
        public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
            return ALIAS;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return identity.chain().toArray(X509Certificate[]::new);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return identity.key();
        }
    }
}
