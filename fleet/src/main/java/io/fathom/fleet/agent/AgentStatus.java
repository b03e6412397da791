// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.agent;

import io.fathom.base.lang.Problem;
import io.fathom.model.fleet.FleetPeer;
import io.fathom.model.fleet.GatewayFact;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// An agent at one moment.
///
/// @param heard when the server last said something; nothing if it never did
/// @param withheld clusters that have a Gateway of an operator's
public record AgentStatus(
        String cluster,
        String uid,
        AgentPhase phase,
        Optional<Instant> heard,
        Optional<GatewayFact> gateway,
        List<FleetPeer> peers,
        Set<String> withheld,
        List<Problem> problems) {
    /// How far it is.
    public enum AgentPhase {
        /// It is not a member yet.
        JOINING,
        /// A member whose server does not answer: everything stays as it is.
        DISCONNECTED,
        CONNECTED,
        /// No member any more.
        LEFT
    }

    public AgentStatus {
        peers = List.copyOf(peers);
        withheld = Set.copyOf(withheld);
        problems = List.copyOf(problems);
    }
}
