// SPDX-License-Identifier: Apache-2.0
/// The agent of a cluster: [io.fathom.fleet.agent.FleetAgent] joins a fleet, says where the cluster's own gateway
/// is, and keeps a Gateway for each other cluster. What is written and what goes is decided in
/// [io.fathom.fleet.agent.PeerPlan]. Knows nothing of the server's side.
@NullMarked
package io.fathom.fleet.agent;

import org.jspecify.annotations.NullMarked;
