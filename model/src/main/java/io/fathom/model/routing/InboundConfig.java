// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.routing;

/// How a proxy hands traffic to its pods.
public record InboundConfig(ProxyPorts ports, Sources sources, TunnelDial tunnelDial) {
    /// Whether the application sees the address of its client.
    public enum Sources {
        KEPT,
        REPLACED
    }

    /// Where an application that takes PROXY headers is dialled.
    public enum TunnelDial {
        LOOPBACK,
        POD_ADDRESS
    }

    public static final InboundConfig DEFAULT =
            new InboundConfig(ProxyPorts.DEFAULT, Sources.KEPT, TunnelDial.LOOPBACK);
}
