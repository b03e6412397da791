package io.fathom.control.ambient;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.wire.kube.ObjectKey;

/// One address behind which a network can be reached.
///
/// @param address with the port of HBONE
/// @param account the identity that answers there, in the namespace of the Gateway
/// @param text the address as the Gateway's status has it
record NetworkGateway(ObjectKey gateway, String network, GatewayAddress address, String account, String text) {
    String uid() {
        return "NetworkGateway/" + network + "/" + text + "/" + address.hbonePort();
    }
}
