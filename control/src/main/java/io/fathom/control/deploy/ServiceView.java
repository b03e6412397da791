// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.Address;
import java.util.List;

/// Where a Service can be reached.
///
/// @param clusterIps without `None`
/// @param ingress what a load balancer gave it
record ServiceView(
        String namespace, String name, ServiceManifest.Type type, List<String> clusterIps, List<Address> ingress) {
    ServiceView {
        clusterIps = List.copyOf(clusterIps);
        ingress = List.copyOf(ingress);
    }

    static ServiceView of(ServiceManifest service) {
        return new ServiceView(
                service.namespace(),
                service.name(),
                service.type(),
                service.clusterIps().stream().map(Ip::toString).toList(),
                service.ingress());
    }

    /// Its name for clients in the cluster.
    Address hostname(String domain) {
        return new Address("Hostname", name + "." + namespace + ".svc." + domain);
    }
}
