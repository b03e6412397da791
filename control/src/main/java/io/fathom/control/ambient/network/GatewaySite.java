// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.network;

import io.fathom.model.mesh.GatewayAddress;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.Optional;

/// A Gateway, what it is for, and where it is found.
///
/// @param address as services and workloads name it that go through it
/// @param network that it is in; empty for the default one
/// @param workloads whether traffic to workloads themselves may go through it
public record GatewaySite(
        GatewayManifest manifest,
        GatewayKind kind,
        Optional<GatewayAddress> address,
        String network,
        boolean workloads) {
    public ObjectKey key() {
        return manifest.key();
    }
}
