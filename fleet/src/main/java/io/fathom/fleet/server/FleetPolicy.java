// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import java.time.Duration;
import java.util.Set;

/// What a management server is told.
///
/// @param fleet its name: the trust domain of the fleet's certificates
/// @param namespaces that gateways may be in
/// @param certificateLife of agents
/// @param services what may be exported to whom
public record FleetPolicy(String fleet, Set<String> namespaces, Duration certificateLife, ServicePolicy services) {
    public FleetPolicy {
        namespaces = Set.copyOf(namespaces);
    }
}
