// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import java.time.Duration;
import java.util.Optional;

/// What the xDS server allows its clients.
///
/// @param maxReceiveBytes largest request: one that names a million retained resources needs about 100 MiB
/// @param minClientPing clients that ping more often are disconnected
/// @param maxConnectionAge absent for no limit
/// @param writeTimeout a client that takes nothing for so long is reported
/// @param largeBytes how much of large responses may be on its way to all clients together
public record AdsLimits(
        int maxReceiveBytes,
        Duration keepaliveTime,
        Duration keepaliveTimeout,
        Duration minClientPing,
        int maxConcurrentStreams,
        Optional<Duration> maxConnectionAge,
        Duration writeTimeout,
        long largeBytes) {

    public static final AdsLimits DEFAULT = new AdsLimits(
            200 * 1024 * 1024,
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            Duration.ofSeconds(15),
            100_000,
            Optional.empty(),
            Duration.ofSeconds(5),
            128L * 1024 * 1024);

    public AdsLimits {
        if (maxReceiveBytes < 1 || maxConcurrentStreams < 1 || largeBytes < 1) {
            throw new IllegalArgumentException("limits of the server must be positive");
        }
    }

    public AdsLimits withMaxReceiveBytes(int bytes) {
        return with(bytes, maxConnectionAge, largeBytes);
    }

    public AdsLimits withMaxConnectionAge(Duration age) {
        return with(maxReceiveBytes, Optional.of(age), largeBytes);
    }

    public AdsLimits withLargeBytes(long bytes) {
        return with(maxReceiveBytes, maxConnectionAge, bytes);
    }

    private AdsLimits with(int receive, Optional<Duration> age, long large) {
        return new AdsLimits(
                receive,
                keepaliveTime,
                keepaliveTimeout,
                minClientPing,
                maxConcurrentStreams,
                age,
                writeTimeout,
                large);
    }
}
