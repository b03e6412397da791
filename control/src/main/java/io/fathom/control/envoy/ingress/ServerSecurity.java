// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import io.fathom.wire.kube.networking.IstioGatewayManifest.ServerTls.Version;
import java.util.List;
import java.util.Optional;

/// How a server ends TLS.
///
/// @param cipherSuites empty for Envoy's own choice
public record ServerSecurity(Proof proof, Clients clients, Version least, Version most, List<String> cipherSuites) {

    /// What the server shows.
    public sealed interface Proof {
        /// Certificates that the control plane sends.
        ///
        /// @param names of resources
        record Credentials(List<String> names) implements Proof {
            public Credentials {
                names = List.copyOf(names);
            }
        }

        /// The proxy's own certificate of the mesh.
        record OfMesh() implements Proof {}

        /// Files that the proxy has.
        record Files(String chain, String key) implements Proof {}
    }

    /// What is asked of clients.
    ///
    /// @param authorities who may have signed; absent when nothing is checked
    /// @param subjectAltNames one of which is wanted; empty for any
    /// @param spki hashes of public keys that are let in; empty for all
    /// @param hashes of certificates that are let in; empty for all
    public record Clients(
            Demand demand,
            Optional<Authorities> authorities,
            List<String> subjectAltNames,
            List<String> spki,
            List<String> hashes) {
        public static final Clients ANYBODY =
                new Clients(Demand.NOTHING, Optional.empty(), List.of(), List.of(), List.of());

        public Clients {
            subjectAltNames = List.copyOf(subjectAltNames);
            spki = List.copyOf(spki);
            hashes = List.copyOf(hashes);
        }

        /// A certificate that one of these signed.
        public static Clients signedBy(Authorities authorities, Demand demand) {
            return new Clients(demand, Optional.of(authorities), List.of(), List.of(), List.of());
        }
    }

    /// Which certificate of a client is good enough.
    public enum Demand {
        NOTHING,
        /// A good one or none.
        IF_SHOWN,
        /// Looked at, but whoever comes is let in.
        LOOKED_AT,
        REQUIRED
    }

    /// Who may sign for clients.
    public sealed interface Authorities {
        /// Those that somebody sends: the control plane, or for the mesh's own whoever is beside the proxy.
        ///
        /// @param name of the resource
        record Named(String name) implements Authorities {}

        record File(String path) implements Authorities {}
    }

    public ServerSecurity {
        cipherSuites = List.copyOf(cipherSuites);
    }

    /// With certificates for anybody.
    public static ServerSecurity simple(List<String> credentials) {
        return new ServerSecurity(
                new Proof.Credentials(credentials), Clients.ANYBODY, Version.TLS_AUTO, Version.TLS_AUTO, List.of());
    }

    ServerSecurity withClients(Clients others) {
        return new ServerSecurity(proof, others, least, most, cipherSuites);
    }
}
