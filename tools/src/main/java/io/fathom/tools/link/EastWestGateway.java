// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.link;

import java.util.List;
import java.util.OptionalInt;

/// The gateway by which others get into a cluster.
///
/// @param account that it runs as, in its namespace
/// @param addresses where it can be reached, as its status says
/// @param hbonePort for tunnels; empty where it takes none
/// @param discoveryPort where it passes TLS on to the control plane
record EastWestGateway(
        String namespace,
        String name,
        String account,
        List<LinkAddress> addresses,
        OptionalInt hbonePort,
        OptionalInt discoveryPort) {
    EastWestGateway {
        addresses = List.copyOf(addresses);
    }

    String path() {
        return namespace + "/" + name;
    }
}
