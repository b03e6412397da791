// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import io.fathom.control.envoy.cluster.SecretSource;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.wire.kube.meshconfig.MeshTraffic.PathNormalization;
import io.fathom.wire.tls.TlsPolicy.KeyExchange;
import java.util.List;

/// What the listeners of a group of ingress proxies depend on, besides its servers.
///
/// @param addresses to listen on where a server says nothing: the first gives listeners their names
/// @param trustDomains that identities may be in
/// @param secrets where its own key and certificate come from
/// @param keyExchange what all TLS is kept to
/// @param paths what is made of paths before anybody compares them
public record IngressProxy(
        ProxyGroup group,
        List<String> addresses,
        List<String> trustDomains,
        SecretSource secrets,
        Topology topology,
        PathNormalization paths,
        Ports ports,
        KeyExchange keyExchange) {

    /// Which ports it may open.
    public enum Ports {
        ALL,
        /// Those from 1024.
        UNPRIVILEGED
    }

    public IngressProxy {
        addresses = addresses.isEmpty() ? List.of("0.0.0.0") : List.copyOf(addresses);
        trustDomains = List.copyOf(trustDomains);
    }

    boolean mayOpen(int port) {
        return ports == Ports.ALL || port >= 1024;
    }
}
