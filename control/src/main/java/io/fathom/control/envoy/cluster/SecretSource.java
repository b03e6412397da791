// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.core.v3.AggregatedConfigSource;
import io.envoyproxy.envoy.config.core.v3.ApiConfigSource;
import io.envoyproxy.envoy.config.core.v3.ApiVersion;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.GrpcService;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig;
import io.fathom.control.envoy.view.Ads;
import java.util.Optional;

/// Where a proxy gets keys and certificates from.
///
/// @param config empty for those that its own bootstrap holds
public record SecretSource(Optional<ConfigSource> config) {
    /// The companion in its pod: `default` and `ROOTCA`.
    public static final SecretSource COMPANION = new SecretSource(Optional.of(ConfigSource.newBuilder()
            .setApiConfigSource(ApiConfigSource.newBuilder()
                    .setApiType(ApiConfigSource.ApiType.GRPC)
                    .setTransportApiVersion(ApiVersion.V3)
                    .setSetNodeOnFirstMessageOnly(true)
                    .addGrpcServices(GrpcService.newBuilder()
                            .setEnvoyGrpc(GrpcService.EnvoyGrpc.newBuilder().setClusterName("sds-grpc"))))
            .setResourceApiVersion(ApiVersion.V3)
            .setInitialFetchTimeout(Duration.getDefaultInstance())
            .build()));

    /// The control plane, for proxies without a companion: `default` and `ROOTCA`.
    public static final SecretSource MINT = new SecretSource(Optional.of(Ads.SOURCE));

    /// The control plane: whatever users refer to. With a time limit, as what names a Secret that is not
    /// there must not hold up the rest for ever. Listeners and clusters ask in the very same way: an Envoy
    /// that asks for a name in two ways is answered once, and one of them goes without.
    public static final SecretSource CONTROL_PLANE = new SecretSource(Optional.of(ConfigSource.newBuilder()
            .setAds(AggregatedConfigSource.getDefaultInstance())
            .setResourceApiVersion(ApiVersion.V3)
            .setInitialFetchTimeout(Duration.newBuilder().setSeconds(5))
            .build()));

    /// The bootstrap.
    public static final SecretSource BOOTSTRAP = new SecretSource(Optional.empty());

    /// The secret of that name. A cluster waits for it at most as long as the source says, and refuses to connect
    /// without it.
    public SdsSecretConfig secret(String name) {
        var secret = SdsSecretConfig.newBuilder().setName(name);
        config.ifPresent(secret::setSdsConfig);
        return secret.build();
    }
}
