// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.fathom.control.ambient.network.Entrances.Entrance;
import io.fathom.model.mesh.Ip;
import java.util.List;
import java.util.Optional;

/// The three listeners of a waypoint.
public final class WaypointListeners {
    private WaypointListeners() {}

    /// All three, in the order in which traffic passes them.
    ///
    /// @param parts of its services, oldest first
    /// @param workloads addresses whose own traffic goes through it
    /// @param direct what happens to that traffic
    /// @param entrance where calls of other networks come in, if they do
    public static List<Listener> of(
            WaypointSettings settings,
            List<ServicePart> parts,
            List<Ip> workloads,
            DirectChains direct,
            Optional<Entrance> entrance) {
        return List.of(
                ConnectTerminate.listener(settings),
                new MainInternal(settings).listener(parts, workloads, direct, entrance),
                ConnectOriginate.listener());
    }
}
