package io.fathom.wire.xds;

import io.netty.handler.ssl.SslContext;
import java.util.Optional;
import java.util.OptionalInt;

/// How the xDS server listens and what it allows.
///
/// @param host address to bind; empty for all
/// @param plaintextPort 0 for any free port; absent for none
public record AdsConfig(
        String host,
        OptionalInt plaintextPort,
        Optional<Tls> tls,
        AdsLimits limits,
        Pacing pacing,
        StreamLimits streams) {

    /// A port that speaks TLS.
    ///
    /// @param port 0 for any free one
    /// @param context configured for HTTP/2
    public record Tls(int port, SslContext context) {}

    /// Listens nowhere yet.
    public static final AdsConfig DEFAULT = new AdsConfig(
            "", OptionalInt.empty(), Optional.empty(), AdsLimits.DEFAULT, Pacing.DEFAULT, StreamLimits.DEFAULT);

    public AdsConfig withHost(String newHost) {
        return new AdsConfig(newHost, plaintextPort, tls, limits, pacing, streams);
    }

    public AdsConfig withPlaintextPort(int port) {
        return new AdsConfig(host, OptionalInt.of(port), tls, limits, pacing, streams);
    }

    public AdsConfig withTls(int port, SslContext context) {
        return new AdsConfig(host, plaintextPort, Optional.of(new Tls(port, context)), limits, pacing, streams);
    }

    public AdsConfig withLimits(AdsLimits newLimits) {
        return new AdsConfig(host, plaintextPort, tls, newLimits, pacing, streams);
    }
}
