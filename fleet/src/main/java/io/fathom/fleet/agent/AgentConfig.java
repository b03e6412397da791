// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.model.fleet.GatewayFact;
import io.fathom.wire.fleet.ServerAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// What an agent is told.
///
/// @param cluster the name of the cluster, as its control plane has it
/// @param uid of the cluster; without it one is made up and kept
/// @param servers tried in turn
/// @param token to join with; not needed by a member
/// @param folder where it keeps its key and what it learnt
/// @param gateways how gateways are found
/// @param software what the server shows of it
public record AgentConfig(
        String cluster,
        Optional<String> uid,
        List<ServerAddress> servers,
        Optional<String> token,
        Path folder,
        GatewaySettings gateways,
        String software) {
    public AgentConfig {
        servers = List.copyOf(servers);
    }

    /// How the cluster's own gateway is found, and what is said of it where it does not say so itself.
    ///
    /// @param namespace of it, and of all that is written
    public record GatewaySettings(
            String namespace, Optional<String> network, String trustDomain, GatewayFact.Place place) {}

    @Override
    public String toString() {
        return "AgentConfig[cluster=" + cluster + ", servers=" + servers + ", token=***]";
    }
}
