// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.peering;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Workload;
import java.util.List;

/// The endpoints of a service, for clusters on the same network, which call them directly.
public record ServiceEndpoints(String namespace, String name, List<PeerEndpoint> endpoints) {
    /// One of them.
    ///
    /// @param addresses at least one
    /// @param account as `namespace/account`; the trust domain is that of the cluster
    /// @param ports what each port of the service is there
    /// @param capacity relative share of the load, at least 1
    public record PeerEndpoint(
            List<Ip> addresses,
            String account,
            List<Port> ports,
            Workload.TunnelProtocol tunnel,
            Workload.Health health,
            Locality locality,
            int capacity) {
        public PeerEndpoint {
            addresses = List.copyOf(addresses);
            ports = List.copyOf(ports);
            if (addresses.isEmpty() || account.indexOf('/') < 1) {
                throw new IllegalArgumentException("an endpoint has an address and an account");
            }
        }
    }

    public ServiceEndpoints {
        endpoints = List.copyOf(endpoints);
    }

    /// `namespace/name`, as of its [ServiceSummary].
    public String path() {
        return namespace + "/" + name;
    }
}
