// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

/// The gateway of a cluster as others get to know of it.
///
/// @param handle a short number of the cluster in the fleet
/// @param uid of the cluster, which no other ever has
public record FleetPeer(int handle, String cluster, String uid, GatewayFact fact) {}
