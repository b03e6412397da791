// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import java.util.Locale;

/// What kind of proxy asks the gateway of another network. Node proxies say nothing.
public enum TunnelSource {
    /// Has applied what a waypoint applies.
    WAYPOINT,
    /// Has let the traffic into the mesh.
    GATEWAY;

    /// As the request says it.
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
