// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.control.ambient.waypoint.GatewayRole;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope.Scope;
import io.fathom.wire.kube.networking.ServiceEntryManifest.EntryPort;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A ServiceEntry as its workloads see it.
///
/// @param hosts the hosts that no other service has taken, in the order of the entry; at least one
/// @param gateway the Gateway that one of the hosts leads to, if any
/// @param scope, fronts as in [ServiceMember]
public record EntryMember(
        String namespace,
        List<Host> hosts,
        Map<String, String> selector,
        List<EntryPort> ports,
        Optional<GatewayRole> gateway,
        Scope scope,
        Fronts fronts) {

    /// A host of a ServiceEntry.
    ///
    /// @param key `namespace/hostname`
    public record Host(String key, String name) {}
}
