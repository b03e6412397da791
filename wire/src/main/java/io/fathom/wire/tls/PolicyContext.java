// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.tls;

import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

/// Makes BoringSSL keep to a [TlsPolicy]. Apart from it, so that programs without Netty can have one. Stateless.
public final class PolicyContext {
    private static final String HYBRID = "X25519MLKEM768";
    private static final List<String> TLS13_SUITES = List.of("TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256");
    private static final List<String> ALL_SUITES = List.of(
            "TLS_AES_256_GCM_SHA384",
            "TLS_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
    private static final Set<String> ALLOWED = Set.copyOf(ALL_SUITES);

    private PolicyContext() {}

    /// BoringSSL offers ChaCha20 in TLS 1.3, too, and cannot be told not to: so the outcome is looked at.
    static boolean allows(String suite) {
        return ALLOWED.contains(suite);
    }

    /// A context that keeps to the policy.
    ///
    /// @param fresh may be asked twice: for a library that does not know a group that may be missing
    public static SslContext of(TlsPolicy policy, Supplier<SslContextBuilder> fresh) throws SSLException {
        return switch (policy.exchange()) {
            case ANY -> {
                try {
                    yield build(policy, fresh.get(), "X25519", "P-256", "P-384", HYBRID);
                } catch (SSLException | RuntimeException unknownGroup) {
                    yield build(policy, fresh.get(), "X25519", "P-256", "P-384");
                }
            }
            case FIPS_140_2 -> build(policy, fresh.get(), "P-256", "P-384");
            case POST_QUANTUM -> build(policy, fresh.get(), HYBRID);
        };
    }

    private static SslContext build(TlsPolicy policy, SslContextBuilder builder, String... groups) throws SSLException {
        builder.sslProvider(SslProvider.OPENSSL)
                .keyStoreType("JKS") // the default one derives a password's key in 10,000 rounds, for each certificate
                .option(OpenSslContextOption.GROUPS, groups);
        return switch (policy.versions()) {
            case TLS13 -> builder.protocols("TLSv1.3").ciphers(TLS13_SUITES).build();
            case TLS12_TOO ->
                builder.protocols("TLSv1.3", "TLSv1.2").ciphers(ALL_SUITES).build();
        };
    }
}
