// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import io.fathom.wire.kube.meshconfig.MeshTraffic;
import java.time.Duration;
import java.util.Optional;

/// What all clusters of a proxy have in common.
///
/// @param tls between members of the mesh
/// @param secrets where certificates come from that users refer to
/// @param systemRoots the file of a proxy's image that holds public CA certificates
/// @param connectTimeout unless a DestinationRule says otherwise
/// @param tunnelIdle after which time a tunnel without connections is closed
/// @param mesh what else counts where no rule says otherwise
/// @param clientCertificate the secret that is shown to backends that a BackendTLSPolicy is for
public record ProxySettings(
        MeshTls tls,
        SecretSource secrets,
        String systemRoots,
        Duration connectTimeout,
        Duration tunnelIdle,
        MeshTraffic mesh,
        Optional<String> clientCertificate) {
    public static final String SYSTEM_ROOTS = "/etc/ssl/certs/ca-certificates.crt";

    /// One that has nothing to show.
    public ProxySettings(
            MeshTls tls, SecretSource secrets, String systemRoots, Duration connectTimeout, Duration tunnelIdle) {
        this(tls, secrets, systemRoots, connectTimeout, tunnelIdle, MeshTraffic.NOTHING, Optional.empty());
    }

    public ProxySettings withClientCertificate(Optional<String> secret) {
        return new ProxySettings(tls, secrets, systemRoots, connectTimeout, tunnelIdle, mesh, secret);
    }

    /// With what the mesh says.
    public ProxySettings within(MeshTraffic traffic) {
        return new ProxySettings(
                tls,
                secrets,
                systemRoots,
                traffic.connectTimeout().orElse(connectTimeout),
                tunnelIdle,
                traffic,
                clientCertificate);
    }

    /// With upstream's defaults.
    public static ProxySettings of(MeshTls tls) {
        return new ProxySettings(
                tls, SecretSource.CONTROL_PLANE, SYSTEM_ROOTS, Duration.ofSeconds(10), Duration.ofHours(1));
    }
}
