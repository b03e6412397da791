package io.fathom.control.envoy.waypoint;

import com.google.protobuf.Any;
import com.google.protobuf.BoolValue;
import io.envoyproxy.envoy.config.core.v3.ApiConfigSource;
import io.envoyproxy.envoy.config.core.v3.ApiVersion;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.GrpcService;
import io.envoyproxy.envoy.config.core.v3.TransportSocket;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CommonTlsContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.CombinedCertificateValidationContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.SubjectAltNameMatcher;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsParameters;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.TlsParameters.TlsProtocol;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import java.util.List;

/// Mutual TLS of tunnels: 1.3 only, the proxy's own certificate, peers of our trust domains.
public final class MeshTlsContexts {
    /// A cluster in every bootstrap.
    private static final String SECRETS_CLUSTER = "sds-grpc";

    private MeshTlsContexts() {}

    /// For those who take tunnels.
    public static TransportSocket server(List<String> trustDomains) {
        return socket(Any.pack(DownstreamTlsContext.newBuilder()
                .setRequireClientCertificate(BoolValue.of(true))
                .setCommonTlsContext(common(trustDomains))
                .build()));
    }

    /// For those who open them.
    public static TransportSocket client(List<String> trustDomains) {
        return socket(Any.pack(UpstreamTlsContext.newBuilder()
                .setCommonTlsContext(common(trustDomains))
                .build()));
    }

    private static TransportSocket socket(Any config) {
        return TransportSocket.newBuilder()
                .setName("envoy.transport_sockets.tls")
                .setTypedConfig(config)
                .build();
    }

    private static CommonTlsContext common(List<String> trustDomains) {
        var names = CertificateValidationContext.newBuilder();
        for (var domain : trustDomains) {
            var name = SubjectAltNameMatcher.newBuilder().setSanType(SubjectAltNameMatcher.SanType.URI);
            name.getMatcherBuilder().setPrefix("spiffe://" + domain + "/");
            names.addMatchTypedSubjectAltNames(name);
        }
        return CommonTlsContext.newBuilder()
                .addAlpnProtocols("h2")
                .setTlsParams(TlsParameters.newBuilder()
                        .setTlsMinimumProtocolVersion(TlsProtocol.TLSv1_3)
                        .setTlsMaximumProtocolVersion(TlsProtocol.TLSv1_3))
                .addTlsCertificateSdsSecretConfigs(secret("default"))
                .setCombinedValidationContext(CombinedCertificateValidationContext.newBuilder()
                        .setDefaultValidationContext(names)
                        .setValidationContextSdsSecretConfig(secret("ROOTCA")))
                .build();
    }

    private static SdsSecretConfig secret(String name) {
        var cluster = GrpcService.newBuilder();
        cluster.getEnvoyGrpcBuilder().setClusterName(SECRETS_CLUSTER);
        var source = ApiConfigSource.newBuilder()
                .setApiType(ApiConfigSource.ApiType.GRPC)
                .setTransportApiVersion(ApiVersion.V3)
                .setSetNodeOnFirstMessageOnly(true)
                .addGrpcServices(cluster);
        return SdsSecretConfig.newBuilder()
                .setName(name)
                .setSdsConfig(ConfigSource.newBuilder()
                        .setApiConfigSource(source)
                        .setResourceApiVersion(ApiVersion.V3)
                        .setInitialFetchTimeout(Typed.seconds(0)))
                .build();
    }
}
