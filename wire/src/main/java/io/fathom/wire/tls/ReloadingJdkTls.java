// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.tls;

import io.fathom.wire.pki.TlsIdentity;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/// TLS for servers of the JDK, with a certificate that can be replaced at any time: each handshake uses the identity
/// that is current when it begins. Clients show no certificate. Any thread.
public final class ReloadingJdkTls {
    private ReloadingJdkTls() {}

    /// For as long as the server runs.
    ///
    /// @param identity asked for at each handshake
    public static SSLContext context(Supplier<TlsIdentity> identity) {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {new Keys(identity)}, null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no TLS", e);
        }
    }

    /// The alias carries nothing: key and chain are asked for apart, so they are taken from one identity by its serial.
    private static final class Keys extends X509ExtendedKeyManager {
        private static final String[] NONE = {};

        private final Supplier<TlsIdentity> identity;
        private volatile @Nullable TlsIdentity chosen;

        Keys(Supplier<TlsIdentity> identity) {
            this.identity = identity;
        }

        @Override
        public @Nullable String chooseEngineServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            var now = identity.get();
            chosen = now;
            return now.key().getAlgorithm().equals(keyType) ? alias(now) : null;
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return chooseEngineServerAlias(keyType, issuers, null);
        }

        private static String alias(TlsIdentity identity) {
            return identity.leaf().getSerialNumber().toString(16);
        }

        /// The one that the alias was given for: of two handshakes at the moment of a change each finds its own.
        private @Nullable TlsIdentity find(String alias) {
            var last = chosen;
            if (last != null && alias(last).equals(alias)) {
                return last;
            }
            var now = identity.get();
            return alias(now).equals(alias) ? now : null;
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(String alias) {
            var found = find(alias);
            return found == null ? null : found.chain().toArray(X509Certificate[]::new);
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(String alias) {
            var found = find(alias);
            return found == null ? null : found.key();
        }

        @Override
        public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return NONE;
        }

        @Override
        public String[] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return NONE;
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }
    }
}
