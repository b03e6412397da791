// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A fleet at one moment.
///
/// @param clusters members first, by name
/// @param openTokens that can still be used
/// @param events how often each kind has happened since the start
/// @param services how much is known of services
public record FleetStatus(
        String fleet,
        List<ClusterStatus> clusters,
        long openTokens,
        Map<String, Long> events,
        ServiceDirectory.Sizes services) {
    private static final Comparator<ClusterStatus> ORDER = Comparator.comparing(
                    (ClusterStatus cluster) -> cluster.registration().standing())
            .thenComparing(cluster -> cluster.registration().name())
            .thenComparing(cluster -> cluster.registration().uid());

    public FleetStatus {
        clusters = List.copyOf(clusters);
        events = Map.copyOf(events);
    }

    /// A cluster and its stream.
    ///
    /// @param since when its stream began; nothing while it has none
    /// @param peer the other end of the stream
    /// @param software of the agent
    /// @param exports how many services it exports
    public record ClusterStatus(
            Registration registration, Optional<Instant> since, String peer, String software, int exports)
            implements Comparable<ClusterStatus> {
        @Override
        public int compareTo(ClusterStatus other) {
            return ORDER.compare(this, other);
        }
    }
}
