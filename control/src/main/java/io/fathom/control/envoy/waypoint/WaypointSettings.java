// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.waypoint;

import io.fathom.control.ambient.trust.TrustTables.BundleTrust;
import io.fathom.control.envoy.cluster.MeshTls;
import io.fathom.control.envoy.cluster.MeshTls.PeerRoots;
import io.fathom.control.envoy.cluster.SecretSource;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.meshconfig.MeshTraffic;
import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What holds for all proxies of one waypoint.
///
/// @param trustDomains that peers may come from: the mesh's own, then its aliases
/// @param network that it is in; addresses of other networks are not its own
/// @param families of its own addresses
/// @param traffic what the mesh says; where the first bytes of a client tell the protocol, they are waited for as long
/// as that says, after that bytes are passed on as they come. Without it, Envoy closes the connection after 15 s
/// @param secrets where its own key and certificate come from
/// @param bundles what else than its own roots peers are verified with; empty for nothing else
/// @param keyExchange what all of its TLS is kept to
public record WaypointSettings(
        List<String> trustDomains,
        String network,
        Set<Ip.Family> families,
        ClientIdentity clientIdentity,
        Workloads workloads,
        MeshTraffic traffic,
        SecretSource secrets,
        Optional<BundleTrust> bundles,
        KeyExchange keyExchange) {

    /// Whether applications are told who called.
    public enum ClientIdentity {
        /// The header is removed.
        WITHHELD,
        /// `x-forwarded-client-cert` says who opened the tunnel, whatever the client wrote there.
        TOLD
    }

    /// Whether traffic to workloads themselves goes through it, too.
    public enum Workloads {
        NOT_SERVED,
        SERVED
    }

    /// With any key exchange, and without roots of others.
    public WaypointSettings(
            List<String> trustDomains,
            String network,
            Set<Ip.Family> families,
            ClientIdentity clientIdentity,
            Workloads workloads,
            MeshTraffic traffic,
            SecretSource secrets) {
        this(
                trustDomains,
                network,
                families,
                clientIdentity,
                workloads,
                traffic,
                secrets,
                Optional.empty(),
                KeyExchange.ANY);
    }

    /// How it speaks with other members of the mesh.
    public MeshTls meshTls() {
        return new MeshTls(
                secrets, trustDomains, bundles.isPresent() ? PeerRoots.OF_EACH_DOMAIN : PeerRoots.OWN, keyExchange);
    }

    public WaypointSettings {
        trustDomains = List.copyOf(trustDomains);
        families = Set.copyOf(families);
    }
}
