package io.fathom.wire.xds;

import io.netty.handler.ssl.SslContext;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/// How the xDS server listens and what it allows.
///
/// @param host address to bind; empty for all
/// @param plaintextPort 0 for any free port; absent for none
/// @param maxReceiveBytes largest request: one that names a million retained resources needs about 100 MiB
/// @param minClientPing clients that ping more often are disconnected
/// @param maxConnectionAge absent for no limit
/// @param writeTimeout a client that takes nothing for so long is reported
/// @param largeBytes how much of large responses may be on its way to all clients together
public record AdsConfig(
        String host,
        OptionalInt plaintextPort,
        Optional<Tls> tls,
        int maxReceiveBytes,
        Duration keepaliveTime,
        Duration keepaliveTimeout,
        Duration minClientPing,
        int maxConcurrentStreams,
        Optional<Duration> maxConnectionAge,
        Pacing pacing,
        StreamLimits streams,
        Duration writeTimeout,
        long largeBytes) {

    /// A port that speaks TLS.
    ///
    /// @param port 0 for any free one
    /// @param context configured for HTTP/2
    public record Tls(int port, SslContext context) {}

    /// Listens nowhere yet.
    public static final AdsConfig DEFAULT = new AdsConfig(
            "",
            OptionalInt.empty(),
            Optional.empty(),
            200 * 1024 * 1024,
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            Duration.ofSeconds(15),
            100_000,
            Optional.empty(),
            Pacing.DEFAULT,
            StreamLimits.DEFAULT,
            Duration.ofSeconds(5),
            128L * 1024 * 1024);

    public AdsConfig {
        if (maxReceiveBytes < 1 || maxConcurrentStreams < 1 || largeBytes < 1) {
            throw new IllegalArgumentException("limits of the server must be positive");
        }
    }

    public AdsConfig withHost(String newHost) {
        return new AdsConfig(
                newHost,
                plaintextPort,
                tls,
                maxReceiveBytes,
                keepaliveTime,
                keepaliveTimeout,
                minClientPing,
                maxConcurrentStreams,
                maxConnectionAge,
                pacing,
                streams,
                writeTimeout,
                largeBytes);
    }

    public AdsConfig withPlaintextPort(int port) {
        return new AdsConfig(
                host,
                OptionalInt.of(port),
                tls,
                maxReceiveBytes,
                keepaliveTime,
                keepaliveTimeout,
                minClientPing,
                maxConcurrentStreams,
                maxConnectionAge,
                pacing,
                streams,
                writeTimeout,
                largeBytes);
    }

    public AdsConfig withTls(int port, SslContext context) {
        return new AdsConfig(
                host,
                plaintextPort,
                Optional.of(new Tls(port, context)),
                maxReceiveBytes,
                keepaliveTime,
                keepaliveTimeout,
                minClientPing,
                maxConcurrentStreams,
                maxConnectionAge,
                pacing,
                streams,
                writeTimeout,
                largeBytes);
    }

    public AdsConfig withMaxReceiveBytes(int bytes) {
        return new AdsConfig(
                host,
                plaintextPort,
                tls,
                bytes,
                keepaliveTime,
                keepaliveTimeout,
                minClientPing,
                maxConcurrentStreams,
                maxConnectionAge,
                pacing,
                streams,
                writeTimeout,
                largeBytes);
    }

    public AdsConfig withMaxConnectionAge(Duration age) {
        return new AdsConfig(
                host,
                plaintextPort,
                tls,
                maxReceiveBytes,
                keepaliveTime,
                keepaliveTimeout,
                minClientPing,
                maxConcurrentStreams,
                Optional.of(age),
                pacing,
                streams,
                writeTimeout,
                largeBytes);
    }

    public AdsConfig withPacing(Pacing newPacing) {
        return new AdsConfig(
                host,
                plaintextPort,
                tls,
                maxReceiveBytes,
                keepaliveTime,
                keepaliveTimeout,
                minClientPing,
                maxConcurrentStreams,
                maxConnectionAge,
                newPacing,
                streams,
                writeTimeout,
                largeBytes);
    }

    public AdsConfig withStreams(StreamLimits limits) {
        return new AdsConfig(
                host,
                plaintextPort,
                tls,
                maxReceiveBytes,
                keepaliveTime,
                keepaliveTimeout,
                minClientPing,
                maxConcurrentStreams,
                maxConnectionAge,
                pacing,
                limits,
                writeTimeout,
                largeBytes);
    }

    public AdsConfig withLargeBytes(long bytes) {
        return new AdsConfig(
                host,
                plaintextPort,
                tls,
                maxReceiveBytes,
                keepaliveTime,
                keepaliveTimeout,
                minClientPing,
                maxConcurrentStreams,
                maxConnectionAge,
                pacing,
                streams,
                writeTimeout,
                bytes);
    }
}
