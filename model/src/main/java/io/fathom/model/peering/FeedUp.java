// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.peering;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// What the agent of a fleet tells the control plane of its cluster.
public sealed interface FeedUp {
    /// First of all.
    ///
    /// @param instance differs with each start of the agent
    /// @param cluster that the agent is for
    record Hello(String instance, String software, String cluster) implements FeedUp {}

    /// What another cluster has.
    record Origin(
            String cluster,
            Optional<ClusterSummary> about,
            ResourceDelta<ServiceSummary> services,
            ResourceDelta<ServiceEndpoints> endpoints,
            OriginPart part)
            implements FeedUp {}

    /// That cluster has left, or shares with this one no longer.
    record Forget(String cluster) implements FeedUp {}

    /// Everything that the agent knows has been said.
    record Settled() implements FeedUp {}

    /// How old what is known is.
    ///
    /// @param server since the management server was heard last; nothing while it is connected
    /// @param clusters likewise of each origin that is not as new as that
    record Freshness(Optional<Duration> server, Map<String, Duration> clusters) implements FeedUp {
        public Freshness {
            clusters = Map.copyOf(clusters);
        }
    }

    /// Which part of all that a cluster has.
    enum OriginPart {
        /// All of it: whatever is not named there is no longer.
        WHOLE,
        /// The beginning of all.
        FIRST,
        /// More of what was begun, or a change of what is known.
        MORE,
        /// The end of all: whatever has not been named since its beginning there is no longer.
        LAST;

        public boolean begins() {
            return this == WHOLE || this == FIRST;
        }

        public boolean ends() {
            return this == WHOLE || this == LAST;
        }

        /// The part that begins or ends.
        public static OriginPart of(boolean begins, boolean ends) {
            return begins ? ends ? WHOLE : FIRST : ends ? LAST : MORE;
        }
    }
}
