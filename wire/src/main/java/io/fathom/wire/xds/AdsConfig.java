// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.xds.store.StreamLimits;
import io.netty.handler.ssl.SslContext;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// How the xDS server listens and what it allows.
///
/// @param hosts addresses to bind, all at the same port; none for all there are
/// @param plaintextPort 0 for any free port; absent for none
public record AdsConfig(
        List<String> hosts,
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
            List.of(), OptionalInt.empty(), Optional.empty(), AdsLimits.DEFAULT, Pacing.DEFAULT, StreamLimits.DEFAULT);

    public AdsConfig {
        hosts = List.copyOf(hosts);
    }

    public AdsConfig withHost(String newHost) {
        return withHosts(List.of(newHost));
    }

    public AdsConfig withHosts(List<String> newHosts) {
        return new AdsConfig(newHosts, plaintextPort, tls, limits, pacing, streams);
    }

    public AdsConfig withPlaintextPort(int port) {
        return new AdsConfig(hosts, OptionalInt.of(port), tls, limits, pacing, streams);
    }

    public AdsConfig withTls(int port, SslContext context) {
        return new AdsConfig(hosts, plaintextPort, Optional.of(new Tls(port, context)), limits, pacing, streams);
    }

    public AdsConfig withLimits(AdsLimits newLimits) {
        return new AdsConfig(hosts, plaintextPort, tls, newLimits, pacing, streams);
    }
}
