package io.fathom.wire.tls;

import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

/// What TLS may negotiate: always with AES-GCM and with keys that are forgotten afterwards. Immutable.
public record TlsPolicy(Versions versions, KeyExchange exchange) {
    /// Which versions are spoken.
    public enum Versions {
        TLS13,
        TLS12_TOO
    }

    /// In which groups keys are exchanged.
    public enum KeyExchange {
        /// All that are considered safe, and X25519MLKEM768 where the library has it.
        ANY,
        /// Only the curves that FIPS 140-2 approves of.
        FIPS_140_2,
        /// Only X25519MLKEM768, which quantum computers are not expected to break. It needs TLS 1.3.
        POST_QUANTUM
    }

    public static final TlsPolicy DEFAULT = new TlsPolicy(Versions.TLS13, KeyExchange.ANY);

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

    public TlsPolicy {
        if (versions == Versions.TLS12_TOO && exchange == KeyExchange.POST_QUANTUM) {
            throw new IllegalArgumentException("TLS 1.2 knows no post-quantum key exchange");
        }
    }

    /// BoringSSL offers ChaCha20 in TLS 1.3, too, and cannot be told not to: so the outcome is looked at.
    static boolean allows(String suite) {
        return ALLOWED.contains(suite);
    }

    /// A context of BoringSSL that keeps to this.
    ///
    /// @param fresh may be asked twice: for a library that does not know a group that may be missing
    public SslContext build(Supplier<SslContextBuilder> fresh) throws SSLException {
        return switch (exchange) {
            case ANY -> {
                try {
                    yield build(fresh.get(), "X25519", "P-256", "P-384", HYBRID);
                } catch (SSLException | RuntimeException unknownGroup) {
                    yield build(fresh.get(), "X25519", "P-256", "P-384");
                }
            }
            case FIPS_140_2 -> build(fresh.get(), "P-256", "P-384");
            case POST_QUANTUM -> build(fresh.get(), HYBRID);
        };
    }

    private SslContext build(SslContextBuilder builder, String... groups) throws SSLException {
        builder.sslProvider(SslProvider.OPENSSL)
                .keyStoreType("JKS") // the default one derives a password's key in 10,000 rounds, for each certificate
                .option(OpenSslContextOption.GROUPS, groups);
        return switch (versions) {
            case TLS13 -> builder.protocols("TLSv1.3").ciphers(TLS13_SUITES).build();
            case TLS12_TOO ->
                builder.protocols("TLSv1.3", "TLSv1.2").ciphers(ALL_SUITES).build();
        };
    }
}
