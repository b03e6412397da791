// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

/// Where a waypoint or network gateway is found: a lookup key for a service, and its HBONE port.
public record GatewayAddress(GatewayDestination destination, int hbonePort) {
    /// What the gateway is known by.
    public sealed interface GatewayDestination {
        record ByHostname(NamespacedHostname host) implements GatewayDestination {}

        record ByAddress(NetworkAddress address) implements GatewayDestination {}
    }

    /// Stands for a waypoint that does not serve a service yet and is about to. It is a name that no service can have,
    /// so a client that knows nothing of it refuses connections, as it does for any waypoint that it cannot find.
    public static final GatewayAddress PENDING = new GatewayAddress(
            new GatewayDestination.ByHostname(new NamespacedHostname("-", "_pending.fathom.io")), 15008);

    /// The name to ask the control plane for: `namespace/hostname`, or `network/ip`.
    public String lookupKey() {
        return switch (destination) {
            case GatewayDestination.ByHostname(var host) -> host.key();
            case GatewayDestination.ByAddress(var address) -> address.alias();
        };
    }
}
