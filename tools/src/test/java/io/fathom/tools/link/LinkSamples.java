// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import io.fathom.wire.pki.KeyAlgorithm;
import io.fathom.wire.pki.RootCertificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/// Clusters to be linked.
final class LinkSamples {
    static final Instant NOW = Instant.parse("2026-11-18T12:00:00Z");
    static final X509Certificate ROOT = root("one");

    /// Pins nothing that is not known.
    static final TrustPlanner STRICT = new TrustPlanner("istio-system", TrustPlanner.TrustExchange.REFUSED);

    private LinkSamples() {}

    static X509Certificate root(String name) {
        return RootCertificate.create(
                KeyAlgorithm.P256.generate(), name, NOW.minus(Duration.ofDays(1)), Duration.ofDays(365));
    }

    /// On network `net-ID`, with a gateway at 192.0.2.NUMBER.
    static ClusterFacts cluster(String id, int number, PeerShape... peers) {
        return cluster(id, List.of(gateway("192.0.2." + number)), peers);
    }

    static ClusterFacts cluster(String id, List<EastWestGateway> gateways, PeerShape... peers) {
        return new ClusterFacts(id, id, "net-" + id, "cluster.local", List.of(ROOT), gateways, Arrays.asList(peers));
    }

    static EastWestGateway gateway(String... addresses) {
        return new EastWestGateway(
                "istio-eastwest",
                "istio-eastwest",
                "istio-eastwest",
                Arrays.stream(addresses)
                        .map(address -> new LinkAddress("IPAddress", address))
                        .toList(),
                OptionalInt.of(15008),
                OptionalInt.empty());
    }

    /// What stands for a cluster elsewhere, written by `link`.
    static PeerShape peer(ClusterFacts cluster) {
        return PeerShape.of(cluster, cluster.gateways().getFirst(), 1);
    }
}
