package io.fathom.model.mesh;

/// Where a waypoint or network gateway is found: a lookup key for a service, and its HBONE port.
public record GatewayAddress(Destination destination, int hbonePort) {
    /// What the gateway is known by.
    public sealed interface Destination {
        record ByHostname(NamespacedHostname host) implements Destination {}

        record ByAddress(NetworkAddress address) implements Destination {}
    }

    /// The name to ask the control plane for: `namespace/hostname`, or `network/ip`.
    public String lookupKey() {
        return switch (destination) {
            case Destination.ByHostname(var host) -> host.key();
            case Destination.ByAddress(var address) -> address.alias();
        };
    }
}
