// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.fleet;

/// One address of a gateway.
///
/// @param host an address literal or a host name
/// @param xdsPort where TLS is passed on to the control plane; 0 for nowhere
public record GatewayAddress(Kind kind, String host, int hbonePort, int xdsPort) {
    /// How the cluster came by the address.
    public enum Kind {
        LB_IP,
        LB_HOST,
        NODE,
        STATIC
    }
}
