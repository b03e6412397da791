// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.fathom.model.mesh.Ip;
import java.util.List;

/// The three listeners of a waypoint.
public final class WaypointListeners {
    private WaypointListeners() {}

    /// All three, in the order in which traffic passes them.
    ///
    /// @param parts of its services, oldest first
    /// @param workloads addresses whose own traffic goes through it
    /// @param direct what happens to that traffic
    public static List<Listener> of(
            WaypointSettings settings, List<ServicePart> parts, List<Ip> workloads, DirectChains direct) {
        return List.of(
                ConnectTerminate.listener(settings),
                new MainInternal(settings).listener(parts, workloads, direct),
                ConnectOriginate.listener());
    }
}
