// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// What an agent says on its stream.
public sealed interface FleetUp {
    /// First of all.
    ///
    /// @param instance differs with each start of the agent
    /// @param clusterUid of the cluster that the agent finds itself in
    /// @param cursor up to where it knows other clusters
    /// @param view as of the last [FleetDown.Complete]; 0 when it is interested in something else by now
    record Hello(
            String instance, String software, String clusterUid, List<OriginMark> cursor, long view, Interest interest)
            implements FleetUp {
        public Hello {
            cursor = List.copyOf(cursor);
        }
    }

    /// All gateways of the cluster.
    record Gateways(List<GatewayFact> facts, FactVersion version) implements FleetUp {
        public Gateways {
            facts = List.copyOf(facts);
        }
    }

    /// What the cluster exports.
    ///
    /// @param removed paths of services that it exports no more
    record Services(List<ServiceFact> changed, List<String> removed, ServicePart part, FactVersion version)
            implements FleetUp {
        public Services {
            changed = List.copyOf(changed);
            removed = List.copyOf(removed);
        }
    }

    /// What [Services] are part of.
    enum ServicePart {
        /// Changes.
        DELTA,
        /// Everything: what is in no part has gone, as soon as [ExportsEnd] says that there are no more.
        SNAPSHOT
    }

    /// Other numbers of endpoints, for services that are known.
    record Weights(List<ServiceWeight> weights, FactVersion version) implements FleetUp {
        public Weights {
            weights = List.copyOf(weights);
        }
    }

    /// The endpoints of one service.
    ///
    /// @param key as of [ServiceFact#key]
    record ServiceWeight(int key, Blob spread) {}

    /// The server knows now all that the cluster exports.
    record ExportsEnd(FactVersion version) implements FleetUp {}

    record Interested(Interest interest) implements FleetUp {}

    /// Of what the cluster exports.
    record Digest(OriginDigest exports) implements FleetUp {}

    /// What there is of these clusters is to be told again; without any, the digest of each cluster is.
    record Repair(List<Integer> origins) implements FleetUp {
        public Repair {
            origins = List.copyOf(origins);
        }
    }

    /// How the gateways of others are reached from this cluster. What is not named is as it was.
    ///
    /// @param gone where nobody looks any more
    /// @param age since the control plane was heard, whose findings these are; nothing while it is connected
    record Reach(List<PeerReach> changed, List<PeerReach.ReachedAddress> gone, ReachPart part, Optional<Duration> age)
            implements FleetUp {
        public Reach {
            changed = List.copyOf(changed);
            gone = List.copyOf(gone);
        }
    }

    /// What becomes of what was said before.
    enum ReachPart {
        DELTA,
        /// It is forgotten.
        FIRST
    }
}
