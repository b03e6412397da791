// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import com.google.protobuf.Any;
import com.google.protobuf.BoolValue;
import com.google.protobuf.Message;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.util.Durations;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.config.core.v3.HeaderValueOption;
import io.envoyproxy.envoy.config.core.v3.HttpService;
import io.envoyproxy.envoy.config.core.v3.HttpUri;
import io.envoyproxy.envoy.config.core.v3.TypedExtensionConfig;
import io.envoyproxy.envoy.config.trace.v3.ClientConfig;
import io.envoyproxy.envoy.config.trace.v3.DatadogConfig;
import io.envoyproxy.envoy.config.trace.v3.OpenTelemetryConfig;
import io.envoyproxy.envoy.config.trace.v3.SkyWalkingConfig;
import io.envoyproxy.envoy.config.trace.v3.Tracing.Http;
import io.envoyproxy.envoy.config.trace.v3.ZipkinConfig;
import io.envoyproxy.envoy.extensions.tracers.opentelemetry.resource_detectors.v3.EnvironmentResourceDetectorConfig;
import io.fathom.wire.kube.meshconfig.TelemetryProvider;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.Header;
import java.time.Duration;
import java.util.Optional;

/// Providers of traces as Envoy's tracers.
final class Tracers {
    private static final String ZIPKIN_PATH = "/api/v2/spans";

    private final ProviderDestinations backends;
    private final String serviceName;

    /// @param serviceName what spans are said to come from
    Tracers(ProviderDestinations backends, String serviceName) {
        this.backends = backends;
        this.serviceName = serviceName;
    }

    /// Empty for a provider that takes no spans, or that is not there.
    Optional<Http> tracer(TelemetryProvider provider) {
        return switch (provider) {
            case TelemetryProvider.OtelTrace otel ->
                backends.cluster(otel.backend())
                        .map(cluster -> named("envoy.tracers.opentelemetry", otel(otel, cluster)));
            case TelemetryProvider.Zipkin zipkin ->
                backends.cluster(zipkin.backend())
                        .map(cluster -> named("envoy.tracers.zipkin", zipkin(zipkin, cluster)));
            case TelemetryProvider.Datadog datadog ->
                backends.cluster(datadog.backend())
                        .map(cluster -> named(
                                "envoy.tracers.datadog",
                                DatadogConfig.newBuilder()
                                        .setCollectorCluster(cluster)
                                        .setServiceName(serviceName)
                                        .setCollectorHostname(ProviderDestinations.host(datadog.backend()))
                                        .build()));
            case TelemetryProvider.SkyWalking skyWalking ->
                backends.cluster(skyWalking.backend())
                        .map(cluster -> named("envoy.tracers.skywalking", skyWalking(skyWalking, cluster)));
            case TelemetryProvider.FileLog _,
                    TelemetryProvider.HttpLogService _,
                    TelemetryProvider.TcpLogService _,
                    TelemetryProvider.OtelLog _,
                    TelemetryProvider.Prometheus _,
                    TelemetryProvider.Unsupported _ -> Optional.empty();
        };
    }

    /// The longest path that a span of the provider tells; 0 for the default.
    static int maxTagLength(TelemetryProvider provider) {
        return switch (provider) {
            case TelemetryProvider.OtelTrace otel -> otel.maxTagLength();
            case TelemetryProvider.Zipkin zipkin -> zipkin.maxTagLength();
            case TelemetryProvider.Datadog datadog -> datadog.maxTagLength();
            default -> 0;
        };
    }

    private OpenTelemetryConfig otel(TelemetryProvider.OtelTrace otel, String cluster) {
        var config = OpenTelemetryConfig.newBuilder().setServiceName(serviceName);
        if (otel.http().isPresent()) {
            var http = otel.http().get();
            var path = http.path().startsWith("/") ? http.path() : "/" + http.path();
            var service = HttpService.newBuilder()
                    .setHttpUri(HttpUri.newBuilder()
                            .setUri("http://" + ProviderDestinations.host(otel.backend()) + path)
                            .setCluster(cluster)
                            .setTimeout(duration(http.timeout())));
            http.headers()
                    .forEach(header -> service.addRequestHeadersToAdd(HeaderValueOption.newBuilder()
                            .setAppendAction(HeaderValueOption.HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD)
                            .setHeader(value(header))));
            config.setHttpService(service);
        } else {
            var grpc = ProviderDestinations.grpc(otel.backend(), cluster);
            otel.timeout().ifPresent(timeout -> grpc.setTimeout(duration(timeout)));
            otel.metadata().forEach(header -> grpc.addInitialMetadata(value(header)));
            config.setGrpcService(grpc);
        }
        if (otel.detector() == TelemetryProvider.OtelTrace.Detector.ENVIRONMENT) {
            config.addResourceDetectors(TypedExtensionConfig.newBuilder()
                    .setName("envoy.tracers.opentelemetry.resource_detectors.environment")
                    .setTypedConfig(Any.pack(EnvironmentResourceDetectorConfig.getDefaultInstance())));
        }
        return config.build();
    }

    private static ZipkinConfig zipkin(TelemetryProvider.Zipkin zipkin, String cluster) {
        return ZipkinConfig.newBuilder()
                .setCollectorCluster(cluster)
                .setCollectorEndpoint(zipkin.path().isEmpty() ? ZIPKIN_PATH : zipkin.path())
                .setCollectorHostname(ProviderDestinations.host(zipkin.backend()))
                .setCollectorEndpointVersion(ZipkinConfig.CollectorEndpointVersion.HTTP_JSON)
                .setTraceId128Bit(zipkin.idLength() == TelemetryProvider.Zipkin.IdLength.BITS_128)
                .setSharedSpanContext(BoolValue.of(false))
                .build();
    }

    private SkyWalkingConfig skyWalking(TelemetryProvider.SkyWalking skyWalking, String cluster) {
        var client = ClientConfig.newBuilder().setServiceName(serviceName).setMaxCacheSize(UInt32Value.of(1024));
        if (!skyWalking.accessToken().isEmpty()) {
            client.setBackendToken(skyWalking.accessToken());
        }
        return SkyWalkingConfig.newBuilder()
                .setGrpcService(ProviderDestinations.grpc(skyWalking.backend(), cluster))
                .setClientConfig(client)
                .build();
    }

    private static HeaderValue value(Header header) {
        return HeaderValue.newBuilder()
                .setKey(header.name())
                .setValue(
                        header.source() == Header.ProviderSource.ENVIRONMENT
                                ? "%ENVIRONMENT(" + header.value() + ")%"
                                : header.value())
                .build();
    }

    private static com.google.protobuf.Duration duration(Duration duration) {
        return Durations.fromNanos(duration.toNanos());
    }

    private static Http named(String name, Message config) {
        return Http.newBuilder().setName(name).setTypedConfig(Any.pack(config)).build();
    }
}
