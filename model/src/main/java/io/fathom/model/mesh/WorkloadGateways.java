// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.Optional;

/// What traffic to a workload passes on its way.
///
/// @param hairpin only meant with a waypoint
/// @param network the gateway of its network, for clients on others
public record WorkloadGateways(
        Optional<GatewayAddress> waypoint, Workload.Hairpin hairpin, Optional<GatewayAddress> network) {
    public static final WorkloadGateways NONE =
            new WorkloadGateways(Optional.empty(), Workload.Hairpin.NO, Optional.empty());
}
