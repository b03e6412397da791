// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.cluster;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.core.v3.Http1ProtocolOptions;
import io.envoyproxy.envoy.config.core.v3.Http2ProtocolOptions;
import io.envoyproxy.envoy.config.core.v3.KeepaliveSettings;
import io.envoyproxy.envoy.config.core.v3.UpstreamHttpProtocolOptions;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions.ExplicitHttpConfig;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions.UseDownstreamHttpConfig;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.wire.kube.traffic.TrafficPolicy;
import io.fathom.wire.kube.traffic.TrafficPolicy.ClientProtocol;
import io.fathom.wire.kube.traffic.TrafficPolicy.ConnectionPool;
import io.fathom.wire.kube.traffic.TrafficPolicy.H2Upgrade;
import java.time.Duration;
import java.util.Optional;

/// Which HTTP a cluster speaks, and how. Pure.
final class ProtocolOptions {
    static final String KEY = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

    private static final Duration KEEPALIVE_TIMEOUT = Duration.ofSeconds(20);

    /// Towards endpoints.
    enum Speech {
        HTTP1,
        HTTP2,
        /// Whatever the client of the request speaks.
        AS_CLIENT
    }

    private ProtocolOptions() {}

    /// @param mesh what the mesh wants where no rule says; only for ports that are known to be HTTP
    static Speech speech(AppProtocol protocol, TrafficPolicy policy, ProxyRole role, H2Upgrade mesh) {
        var http = policy.connectionPool().map(ConnectionPool::http);
        if (protocol == AppProtocol.HTTP2 || protocol == AppProtocol.GRPC) {
            return Speech.HTTP2;
        }
        if (http.filter(pool -> pool.clientProtocol() == ClientProtocol.USED).isPresent()) {
            return Speech.AS_CLIENT;
        }
        var upgrade = http.map(TrafficPolicy.HttpPool::upgrade)
                .filter(own -> own != H2Upgrade.DEFAULT)
                .orElse(protocol == AppProtocol.HTTP11 ? mesh : H2Upgrade.DEFAULT);
        if (upgrade == H2Upgrade.UPGRADE) {
            return Speech.HTTP2;
        }
        // Clients of a gateway speak HTTP/2 because of TLS, which says nothing about the service.
        return protocol == AppProtocol.UNKNOWN && role != ProxyRole.INGRESS ? Speech.AS_CLIENT : Speech.HTTP1;
    }

    /// @param names what TLS takes from each request; empty without TLS
    static Any of(Speech speech, TrafficPolicy policy, Optional<UpstreamHttpProtocolOptions> names) {
        var options = HttpProtocolOptions.newBuilder();
        policy.connectionPool().ifPresent(pool -> options.setCommonHttpProtocolOptions(common(pool)));
        names.ifPresent(options::setUpstreamHttpProtocolOptions);
        var http1 = Http1ProtocolOptions.getDefaultInstance();
        var http2 = http2(policy);
        switch (speech) {
            case HTTP1 ->
                options.setExplicitHttpConfig(ExplicitHttpConfig.newBuilder().setHttpProtocolOptions(http1));
            case HTTP2 ->
                options.setExplicitHttpConfig(ExplicitHttpConfig.newBuilder().setHttp2ProtocolOptions(http2));
            case AS_CLIENT ->
                options.setUseDownstreamProtocolConfig(UseDownstreamHttpConfig.newBuilder()
                        .setHttpProtocolOptions(http1)
                        .setHttp2ProtocolOptions(http2));
        }
        return Any.pack(options.build());
    }

    private static io.envoyproxy.envoy.config.core.v3.HttpProtocolOptions common(ConnectionPool pool) {
        var common = io.envoyproxy.envoy.config.core.v3.HttpProtocolOptions.newBuilder();
        pool.http().idleTimeout().ifPresent(time -> common.setIdleTimeout(Protos.duration(time)));
        pool.http()
                .maxRequestsPerConnection()
                .ifPresent(most -> common.setMaxRequestsPerConnection(Protos.number(most)));
        pool.tcp().maxConnectionDuration().ifPresent(time -> common.setMaxConnectionDuration(Protos.duration(time)));
        return common.build();
    }

    private static Http2ProtocolOptions http2(TrafficPolicy policy) {
        var options = Http2ProtocolOptions.newBuilder();
        policy.connectionPool().map(ConnectionPool::http).ifPresent(pool -> {
            pool.maxConcurrentStreams().ifPresent(most -> options.setMaxConcurrentStreams(Protos.number(most)));
            pool.http2Keepalive().ifPresent(wanted -> {
                var keepalive = KeepaliveSettings.newBuilder()
                        .setTimeout(Protos.duration(wanted.timeout().orElse(KEEPALIVE_TIMEOUT)));
                wanted.interval().ifPresent(time -> keepalive.setInterval(Protos.duration(time)));
                options.setConnectionKeepalive(keepalive);
            });
        });
        return options.build();
    }
}
