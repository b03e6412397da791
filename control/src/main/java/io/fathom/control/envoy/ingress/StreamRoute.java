// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import java.util.List;

/// Where connections go that no request is read from.
///
/// @param name for logs and tools
/// @param serverNames that clients ask for with TLS; empty for all that the server has
/// @param shares to which clusters, relative to each other; none to refuse them
public record StreamRoute(String name, List<String> serverNames, List<Share> shares) {
    public record Share(String cluster, int weight) {}

    public StreamRoute {
        serverNames = List.copyOf(serverNames);
        shares = List.copyOf(shares);
    }
}
