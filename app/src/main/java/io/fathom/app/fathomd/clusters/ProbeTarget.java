// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.control.ambient.network.GatewayVerdicts;
import io.fathom.control.ambient.network.NetworkGateway;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.IpPort;

/// One address of a gateway of another network, and who should answer there.
///
/// @param cluster that it belongs to; empty where nobody says
record ProbeTarget(NetworkGateway gateway, String cluster, Identity expected, IpPort address) {
    String key() {
        return GatewayVerdicts.key(gateway, address);
    }
}
