// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.networking;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A Gateway of Istio's own: which ports proxies open that it selects by label. VirtualServices say where to.
///
/// @param selector labels of the proxies' pods, in any namespace
public record IstioGatewayManifest(Metadata metadata, Map<String, String> selector, List<Server> servers)
        implements Manifest {

    /// A port and the hosts behind it.
    ///
    /// @param bind an address; empty for all
    /// @param hosts possibly after the namespace of the VirtualServices that may claim them and a slash
    public record Server(
            String name, Port port, String bind, List<String> hosts, Optional<ServerTls> tls, String defaultEndpoint) {
        public Server {
            hosts = List.copyOf(hosts);
        }
    }

    /// The port of a server.
    ///
    /// @param protocol as written
    public record Port(int number, String protocol, String name) {}

    /// What a server does with TLS.
    ///
    /// @param credentials names of Secrets, beside the proxy
    /// @param authorities name of a Secret with the authorities of clients; empty for that of the credential
    /// @param files instead of Secrets, in the proxy's own file system
    /// @param subjectAltNames of clients
    /// @param spki hashes of public keys of clients
    /// @param hashes of certificates of clients
    public record ServerTls(
            Mode mode,
            Redirect redirect,
            List<String> credentials,
            String authorities,
            CertificateFiles files,
            List<String> subjectAltNames,
            List<String> spki,
            List<String> hashes,
            Version least,
            Version most,
            List<String> cipherSuites) {
        public enum Mode {
            PASSTHROUGH,
            SIMPLE,
            MUTUAL,
            AUTO_PASSTHROUGH,
            ISTIO_MUTUAL,
            OPTIONAL_MUTUAL
        }

        /// What happens to requests without TLS.
        public enum Redirect {
            NONE,
            TO_HTTPS
        }

        public enum Version {
            TLS_AUTO,
            TLSV1_0,
            TLSV1_1,
            TLSV1_2,
            TLSV1_3
        }

        public ServerTls {
            credentials = List.copyOf(credentials);
            subjectAltNames = List.copyOf(subjectAltNames);
            spki = List.copyOf(spki);
            hashes = List.copyOf(hashes);
            cipherSuites = List.copyOf(cipherSuites);
        }
    }

    /// Paths; empty where there is none.
    public record CertificateFiles(String chain, String key, String authorities) {}

    public IstioGatewayManifest {
        selector = Map.copyOf(selector);
        servers = List.copyOf(servers);
    }
}
