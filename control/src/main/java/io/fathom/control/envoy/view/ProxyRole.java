// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

/// What a proxy is for.
public enum ProxyRole {
    /// In front of services and workloads of the mesh; everything reaches it through tunnels.
    WAYPOINT,
    /// At the edge: takes plain connections and TLS from outside.
    INGRESS,
    /// At the edge of a network: hands tunnels of other networks on.
    EAST_WEST
}
