// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.fleet.store.RecordSlot;
import io.fathom.model.fleet.GatewayFact;
import io.fathom.model.fleet.Interest;
import io.fathom.wire.fleet.ServerAddress;
import java.util.List;
import java.util.Optional;

/// What an agent is told.
///
/// @param cluster the name of the cluster, as its control plane has it
/// @param uid of the cluster; without it one is made up and kept
/// @param servers tried in turn
/// @param token to join with; not needed by a member
/// @param state where it keeps its key and what it learnt
/// @param cache where it keeps what others export, so that it starts without a server
/// @param gateways how gateways are found
/// @param interest which services of other clusters are wanted
/// @param software what the server shows of it
public record AgentConfig(
        String cluster,
        Optional<String> uid,
        List<ServerAddress> servers,
        Optional<String> token,
        RecordSlot.Slots state,
        RecordSlot.Slots cache,
        GatewaySettings gateways,
        Interest interest,
        String software) {
    public AgentConfig {
        servers = List.copyOf(servers);
    }

    /// How the cluster's own gateway is found, and what is said of it where it does not say so itself.
    ///
    /// @param namespace of it, and of all Gateways that are written
    /// @param systemNamespace of the control plane, where roots of other clusters are written
    /// @param services who tells control planes what other clusters have
    public record GatewaySettings(
            String namespace,
            String systemNamespace,
            Optional<String> network,
            String trustDomain,
            GatewayFact.Place place,
            ServiceSource services) {}

    /// Who tells a control plane what another cluster has.
    public enum ServiceSource {
        /// The control plane of that cluster, which is asked.
        PEER,
        /// The agent.
        AGENT
    }

    @Override
    public String toString() {
        return "AgentConfig[cluster=" + cluster + ", servers=" + servers + ", token=***]";
    }
}
