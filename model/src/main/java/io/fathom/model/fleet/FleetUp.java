// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

import java.util.List;

/// What an agent says on its stream.
public sealed interface FleetUp {
    /// First of all.
    ///
    /// @param instance differs with each start of the agent
    /// @param clusterUid of the cluster that the agent finds itself in
    record Hello(String instance, String software, String clusterUid) implements FleetUp {}

    /// All gateways of the cluster.
    record Gateways(List<GatewayFact> facts, FactVersion version) implements FleetUp {
        public Gateways {
            facts = List.copyOf(facts);
        }
    }
}
