// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.ListenerSetManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.IstioGatewayManifest;
import java.util.List;
import java.util.Optional;

/// A way into the mesh: a listener of a Gateway or ListenerSet, or a server of an Istio Gateway.
///
/// @param gateway the object that asks for it
/// @param name of the listener, or of the server's port
/// @param bind the address to listen on; empty for all
/// @param hosts as written: `*` for all, in an Istio Gateway possibly after a namespace and a slash; never empty
/// @param security what it does with TLS; there whenever [ServerTraffic#isTerminated()]
public record IngressServer(
        ObjectKey gateway,
        ServerOrigin origin,
        String name,
        String bind,
        int port,
        ServerTraffic traffic,
        List<String> hosts,
        Optional<ServerSecurity> security,
        Plaintext plaintext) {

    /// Which kind of object asks for it.
    public enum ServerOrigin {
        GATEWAY_API,
        LISTENER_SET,
        ISTIO;

        /// Whether it is for a host that no other on its port has.
        boolean isListener() {
            return this != ISTIO;
        }
    }

    /// The object that asks for it, with its kind.
    public ManifestId owner() {
        return new ManifestId(
                switch (origin) {
                    case GATEWAY_API -> GatewayManifest.class;
                    case LISTENER_SET -> ListenerSetManifest.class;
                    case ISTIO -> IstioGatewayManifest.class;
                },
                gateway);
    }

    /// What comes in.
    public enum ServerTraffic {
        HTTP,
        /// HTTP inside TLS.
        HTTPS,
        TCP,
        /// Connections inside TLS.
        TLS,
        /// TLS that is handed on as it is.
        PASSTHROUGH,
        /// Likewise, to whichever service of all clusters the server name says.
        AUTO_PASSTHROUGH;

        public boolean isHttp() {
            return this == HTTP || this == HTTPS;
        }

        /// Whether TLS ends here.
        public boolean isTerminated() {
            return this == HTTPS || this == TLS;
        }

        /// Whether the first bytes are those of TLS.
        public boolean isTls() {
            return isTerminated() || isPassedThrough();
        }

        /// Whether TLS goes on to backends.
        public boolean isPassedThrough() {
            return this == PASSTHROUGH || this == AUTO_PASSTHROUGH;
        }
    }

    /// What becomes of requests that come without TLS.
    public enum Plaintext {
        SERVED,
        REDIRECTED
    }

    public IngressServer {
        hosts = hosts.isEmpty() ? List.of("*") : List.copyOf(hosts);
        if (traffic.isTerminated() && security.isEmpty()) {
            throw new IllegalArgumentException(name + " cannot end TLS without a certificate");
        }
    }

    /// The same, but server names say which service is meant.
    public IngressServer choosingServices() {
        return new IngressServer(
                gateway, origin, name, bind, port, ServerTraffic.AUTO_PASSTHROUGH, hosts, security, plaintext);
    }

    /// The hosts without namespaces.
    public List<String> hostnames() {
        return hosts.stream()
                .map(host -> host.substring(host.indexOf('/') + 1))
                .distinct()
                .toList();
    }

    /// The route table that it uses; servers of one port without TLS share one.
    public String routeTable() {
        var suffix = bind.isEmpty() ? "" : "." + bind;
        if (traffic != ServerTraffic.HTTPS) {
            return "http." + port + suffix;
        }
        // a Gateway and a ListenerSet may have the same name
        var owner = gateway.name() + "." + gateway.namespace()
                + (origin == ServerOrigin.LISTENER_SET ? ".listenerset" : "");
        return "https.%d.%s.%s".formatted(port, name, owner) + suffix;
    }
}
