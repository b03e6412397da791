// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.waypoint;

import io.fathom.wire.kube.manifest.ObjectKey;

/// That a service or workload is what makes a Gateway work. It never has a waypoint; what leads into a network is not
/// behind a network gateway either.
public record GatewayRole(ObjectKey gateway, GatewayDuty kind) {
    public enum GatewayDuty {
        WAYPOINT,
        NETWORK_GATEWAY
    }
}
