// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.NetworkAddress;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;

/// One address behind which a network can be reached.
///
/// @param address with the port of HBONE; 0 where nobody names one
/// @param account the identity that answers there, in the namespace of the Gateway
/// @param trustDomain of that identity; empty for ours
/// @param text the address as the Gateway's status has it
public record NetworkGateway(
        ObjectKey gateway, String network, GatewayAddress address, String account, String trustDomain, String text) {
    /// What gateways listen on where nobody says otherwise.
    private static final int HBONE_PORT = 15008;

    /// Whether somebody who writes that address means this gateway.
    public boolean isAt(String other) {
        return text.equals(other)
                || (address.destination() instanceof GatewayDestination.ByAddress(NetworkAddress own)
                        && Ip.parse(other).filter(own.block().address()::equals).isPresent());
    }

    /// The address with the port that clients use.
    public GatewayAddress dialled() {
        return address.hbonePort() == 0 ? new GatewayAddress(address.destination(), HBONE_PORT) : address;
    }

    /// The same in the trust domain that is named, if one is.
    NetworkGateway in(Optional<String> domain) {
        return domain.map(name -> new NetworkGateway(gateway, network, address, account, name, text))
                .orElse(this);
    }

    public String uid() {
        return "NetworkGateway/" + network + "/" + text + "/" + address.hbonePort();
    }
}
