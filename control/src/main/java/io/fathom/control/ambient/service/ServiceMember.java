// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.service;

import io.fathom.control.ambient.waypoint.GatewayRole;
import io.fathom.wire.kube.core.ServiceManifest.ServicePort;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest.ServiceScope.Scope;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A Service as its workloads see it. Changes of anything else do not reach them.
///
/// @param cluster that it is of
/// @param keys `namespace/hostname` of each name by which it means its workloads
/// @param gateway the Gateway that this Service leads to, if any: its workloads go through no other
/// @param scope whether it belongs to all clusters
/// @param fronts the Gateways in front of it
public record ServiceMember(
        String cluster,
        String namespace,
        List<String> keys,
        Map<String, String> selector,
        List<ServicePort> ports,
        Optional<GatewayRole> gateway,
        Scope scope,
        Fronts fronts) {
    public ServiceMember {
        keys = List.copyOf(keys);
    }
}
