// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

import java.util.List;
import java.util.Set;

/// What the Workload API serves under one name. The same for every client.
public sealed interface Address permits Workload, Service {
    /// The primary name: the uid of a workload, `namespace/hostname` of a service.
    String resourceName();

    /// The names by which it can also be looked up: `network/ip`, with the length for a range.
    List<String> aliases();

    /// What clients send through first; empty for nearly all.
    Set<GatewayAddress> waypoints();

    /// The same, but through the waypoints of the other, which is an older version of it.
    Address throughWaypointsOf(Address other);
}
