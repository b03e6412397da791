// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.wire.kube.manifest.ObjectKey;

/// That a service or workload is what makes a Gateway work. It never has a waypoint; what leads into a network is not
/// behind a network gateway either.
record GatewayRole(ObjectKey gateway, Kind kind) {
    enum Kind {
        WAYPOINT,
        NETWORK_GATEWAY
    }
}
