// SPDX-License-Identifier: Apache-2.0
package io.fathom.model.peering;

import io.fathom.model.mesh.Locality;
import io.fathom.model.mesh.Port;
import java.util.List;
import java.util.Optional;

/// What a cluster tells others about one of its services: enough to send traffic there, and none of its pods.
///
/// @param shares how many of its endpoints are ready, by where they run; none where nothing is ready
/// @param total how many there are, ready or not
/// @param accounts who may answer, as `namespace/account`; the trust domain is that of the cluster
/// @param distribution which endpoints it wants to be preferred, as an annotation says it; empty for the usual ones
/// @param export what clusters that export it have to agree on; empty without a ServiceExport
public record ServiceSummary(
        String namespace,
        String name,
        List<Port> ports,
        List<LocalityShare> shares,
        int total,
        List<String> accounts,
        NameScope scope,
        String distribution,
        Optional<ExportedService> export) {
    /// The endpoints of one locality.
    public record LocalityShare(Locality locality, int ready) {}

    /// By which names other clusters may call it.
    public enum NameScope {
        /// By the name that it has at home.
        SHARED_NAME,
        /// By a name of its own that is the same in all clusters.
        MESH_NAME,
        BOTH_NAMES
    }

    public ServiceSummary {
        ports = List.copyOf(ports);
        shares = List.copyOf(shares);
        accounts = List.copyOf(accounts);
        if (namespace.isEmpty() || name.isEmpty()) {
            throw new IllegalArgumentException("a service has a namespace and a name");
        }
    }

    /// Of a service without a ServiceExport.
    public ServiceSummary(
            String namespace,
            String name,
            List<Port> ports,
            List<LocalityShare> shares,
            int total,
            List<String> accounts,
            NameScope scope,
            String distribution) {
        this(namespace, name, ports, shares, total, accounts, scope, distribution, Optional.empty());
    }

    /// `namespace/name`, which names it among those of its cluster.
    public String path() {
        return namespace + "/" + name;
    }

    /// How many of its endpoints are ready.
    public int ready() {
        return shares.stream().mapToInt(LocalityShare::ready).sum();
    }
}
