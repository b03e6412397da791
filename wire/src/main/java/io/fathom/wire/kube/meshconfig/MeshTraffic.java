// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

import io.fathom.wire.kube.networking.VirtualServiceManifest.Retries;
import io.fathom.wire.kube.traffic.TrafficPolicy.H2Upgrade;
import io.fathom.wire.kube.traffic.TrafficPolicy.Keepalive;
import io.fathom.wire.kube.traffic.TrafficPolicy.LocalityBalancing;
import java.time.Duration;
import java.util.Optional;

/// What holds for the traffic of all proxies, unless an object says otherwise.
///
/// @param protocolDetection how long proxies wait for the first bytes of a client; zero for ever
/// @param connectTimeout to backends
/// @param paths what is made of paths before anybody compares them
/// @param retries of requests
/// @param locality which places are preferred
/// @param keepalive of connections to backends
/// @param upgrade whether backends that speak HTTP are spoken to with HTTP/2
public record MeshTraffic(
        Optional<Duration> protocolDetection,
        Optional<Duration> connectTimeout,
        PathNormalization paths,
        Optional<Retries> retries,
        Optional<LocalityBalancing> locality,
        Optional<Keepalive> keepalive,
        H2Upgrade upgrade) {
    /// Nothing is said.
    public static final MeshTraffic NOTHING = new MeshTraffic(
            Optional.empty(),
            Optional.empty(),
            PathNormalization.BASE,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            H2Upgrade.DEFAULT);

    /// Each does what the one before it does, too.
    public enum PathNormalization {
        /// Paths stay as they are.
        NONE,
        /// As RFC 3986 has it.
        BASE,
        /// `//` becomes `/`.
        MERGE_SLASHES,
        /// `%2F` and `%5C` become slashes first.
        DECODE_AND_MERGE_SLASHES
    }
}
