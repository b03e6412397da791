// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.mesh;

/// An address on a named network; only both together are unique. A block stands for a service that owns a whole range.
public record NetworkAddress(String network, IpBlock block) {
    public static NetworkAddress of(String network, Ip ip) {
        return new NetworkAddress(network, new IpBlock(ip, ip.family().bits()));
    }

    /// The alias by which clients look it up: `network/ip`, with the length for a range.
    public String alias() {
        return network + "/" + (block.isSingleAddress() ? block.address() : block);
    }
}
