// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.sds;

import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.core.v3.ApiConfigSource;
import io.envoyproxy.envoy.config.core.v3.ApiVersion;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.GrpcService;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig;
import io.fathom.control.envoy.cluster.SecretSource;

/// Where proxies get certificates from, by name. Pure.
public final class SecretSources {
    /// The proxy's own certificate and key.
    public static final String OWN = "default";

    /// The authorities of the mesh.
    public static final String ROOTS = "ROOTCA";

    private static final String EXTERNAL = "sds://";

    private SecretSources() {}

    /// Whom to ask for it.
    ///
    /// @param own where a proxy gets its own key, certificate and roots from
    public static SdsSecretConfig of(String name, SecretSource own) {
        if (name.startsWith(EXTERNAL)) {
            return of(name.substring(EXTERNAL.length()), over("sds-external"));
        }
        return name.equals(OWN) || name.equals(ROOTS) ? own.secret(name) : SecretSource.CONTROL_PLANE.secret(name);
    }

    private static SdsSecretConfig of(String name, ConfigSource source) {
        return SdsSecretConfig.newBuilder().setName(name).setSdsConfig(source).build();
    }

    private static ConfigSource over(String cluster) {
        var service = GrpcService.newBuilder()
                .setEnvoyGrpc(GrpcService.EnvoyGrpc.newBuilder().setClusterName(cluster));
        return ConfigSource.newBuilder()
                .setApiConfigSource(ApiConfigSource.newBuilder()
                        .setApiType(ApiConfigSource.ApiType.GRPC)
                        .setTransportApiVersion(ApiVersion.V3)
                        .setSetNodeOnFirstMessageOnly(true)
                        .addGrpcServices(service))
                .setInitialFetchTimeout(Duration.getDefaultInstance())
                .setResourceApiVersion(ApiVersion.V3)
                .build();
    }
}
