// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fleet;

import io.fathom.app.settings.Settings;
import io.fathom.base.lang.ProblemException;
import io.fathom.wire.dial.BearerToken;
import io.fathom.wire.dial.GrpcStream;
import io.fathom.wire.dial.ServerConfig;
import io.fathom.wire.dial.ServerTrust;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.peering.PeerDialler;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/// Where the control plane of the agent's own cluster is, and what is shown there.
///
/// @param server with TLS; nothing for one on this machine without
record ControlPlaneAddress(String host, int port, Optional<ServerConfig> server) {
    private static final int PLAINTEXT_PORT = 15010;
    private static final Pattern OF_A_SERVICE = Pattern.compile("([a-z0-9-]+)\\.([a-z0-9-]+)\\.svc(\\..*)?");

    /// Nothing if none is named.
    ///
    /// @throws ProblemException when the setting makes no sense
    static Optional<ControlPlaneAddress> of(Settings settings) {
        var text = settings.text(AgentSetting.CONTROL_PLANE);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        if (text.startsWith("http://")) {
            return Optional.of(onThisMachine(settings, text));
        }
        var server = ServerConfig.parse(
                        text, new ServerTrust.InFile(Path.of(settings.text(AgentSetting.CONTROL_PLANE_ROOT))))
                .withClusterId(settings.text(AgentSetting.CLUSTER_ID))
                .withToken(new BearerToken.InFile(Path.of(settings.text(AgentSetting.CONTROL_PLANE_TOKEN))));
        return Optional.of(new ControlPlaneAddress(
                server.host(), server.port(), Optional.of(server.withAlternativeName(server.host()))));
    }

    private static ControlPlaneAddress onThisMachine(Settings settings, String text) {
        try {
            var uri = new URI(text);
            var host = uri.getHost() == null ? "" : uri.getHost().replaceAll("[\\[\\]]", "");
            if (InetAddress.ofLiteral(host).isLoopbackAddress()) {
                return new ControlPlaneAddress(
                        host, uri.getPort() < 0 ? PLAINTEXT_PORT : uri.getPort(), Optional.empty());
            }
        } catch (URISyntaxException | IllegalArgumentException _) {
            // told below
        }
        throw settings.bad(
                AgentSetting.CONTROL_PLANE,
                "would go over a network without TLS",
                "write it like https://istiod.istio-system.svc:15012, or http://127.0.0.1:15010 on this machine");
    }

    /// The replicas, if the name is that of a Service: the Service has one address for all of them.
    Optional<ServiceReplicas> replicas(KubeClient client) {
        var name = OF_A_SERVICE.matcher(host);
        return name.matches()
                ? Optional.of(new ServiceReplicas(client, name.group(2), name.group(1)))
                : Optional.empty();
    }

    /// Dials one of its addresses.
    PeerDialler dialler() {
        return (address, _, method, listener, loop) -> server.isPresent()
                ? GrpcStream.open(at(server.get(), address), method, listener, loop)
                : GrpcStream.openInClear(address, port, method, listener, loop);
    }

    private static ServerConfig at(ServerConfig server, String address) {
        return new ServerConfig(
                address,
                server.port(),
                server.trust(),
                server.alternativeName(),
                server.token(),
                server.clusterId(),
                server.headers(),
                server.tls());
    }
}
