// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.accesslog.v3.AccessLog;
import io.envoyproxy.envoy.config.accesslog.v3.AccessLogFilter;
import io.envoyproxy.envoy.config.accesslog.v3.AndFilter;
import io.envoyproxy.envoy.config.accesslog.v3.ExtensionFilter;
import io.envoyproxy.envoy.config.core.v3.ApiVersion;
import io.envoyproxy.envoy.extensions.access_loggers.file.v3.FileAccessLog;
import io.envoyproxy.envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter;
import io.envoyproxy.envoy.extensions.access_loggers.grpc.v3.CommonGrpcAccessLogConfig;
import io.envoyproxy.envoy.extensions.access_loggers.grpc.v3.HttpGrpcAccessLogConfig;
import io.envoyproxy.envoy.extensions.access_loggers.grpc.v3.TcpGrpcAccessLogConfig;
import io.envoyproxy.envoy.extensions.access_loggers.open_telemetry.v3.OpenTelemetryAccessLogConfig;
import io.fathom.control.envoy.telemetry.LogPlan.Sink;
import io.fathom.control.envoy.view.JsonStruct;
import io.fathom.wire.kube.meshconfig.TelemetryProvider;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.Backend;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.LogFormat;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import java.util.List;
import java.util.Optional;

/// Providers of logs as Envoy's access loggers.
final class LogSinks {
    static final String DEFAULT_LABELS = JsonStruct.text(LogFormats.LABELS);

    private static final String HTTP_NAME = "http_envoy_accesslog";
    private static final String TCP_NAME = "tcp_envoy_accesslog";
    private static final String OTEL_NAME = "otel_envoy_accesslog";

    private final ProviderDestinations backends;

    LogSinks(ProviderDestinations backends) {
        this.backends = backends;
    }

    /// Empty for a provider that takes no logs, not of this kind of traffic, or that is not there.
    ///
    /// @param only more conditions, all of which must hold
    Optional<AccessLog> log(Sink sink, Layer layer, List<AccessLogFilter> only) {
        return switch (sink.provider()) {
            case TelemetryProvider.FileLog file ->
                Optional.of(log("envoy.access_loggers.file", sink, only, file(file)));
            case TelemetryProvider.HttpLogService service ->
                layer == Layer.TCP
                        ? Optional.empty()
                        : backends.cluster(service.backend())
                                .map(cluster ->
                                        log("envoy.access_loggers.http_grpc", sink, only, http(service, cluster)));
            case TelemetryProvider.TcpLogService service ->
                layer == Layer.HTTP
                        ? Optional.empty()
                        : backends.cluster(service.backend())
                                .map(cluster ->
                                        log("envoy.access_loggers.tcp_grpc", sink, only, tcp(service, cluster)));
            case TelemetryProvider.OtelLog otel ->
                backends.cluster(otel.backend())
                        .map(cluster -> log("envoy.access_loggers.open_telemetry", sink, only, otel(otel, cluster)));
            case TelemetryProvider.OtelTrace _,
                    TelemetryProvider.Zipkin _,
                    TelemetryProvider.Datadog _,
                    TelemetryProvider.SkyWalking _,
                    TelemetryProvider.Prometheus _,
                    TelemetryProvider.Unsupported _ -> Optional.empty();
        };
    }

    private static AccessLog log(String name, Sink sink, List<AccessLogFilter> only, Message config) {
        var log = AccessLog.newBuilder().setName(name).setTypedConfig(Any.pack(config));
        var filters = new java.util.ArrayList<AccessLogFilter>(only);
        sink.filter().map(LogSinks::expression).ifPresent(filters::add);
        if (filters.size() == 1) {
            log.setFilter(filters.getFirst());
        } else if (filters.size() > 1) {
            log.setFilter(AccessLogFilter.newBuilder()
                    .setAndFilter(AndFilter.newBuilder().addAllFilters(filters)));
        }
        return log.build();
    }

    private static AccessLogFilter expression(String expression) {
        return AccessLogFilter.newBuilder()
                .setExtensionFilter(ExtensionFilter.newBuilder()
                        .setName("envoy.access_loggers.extension_filters.cel")
                        .setTypedConfig(Any.pack(ExpressionFilter.newBuilder()
                                .setExpression(expression)
                                .build())))
                .build();
    }

    private static FileAccessLog file(TelemetryProvider.FileLog file) {
        return FileAccessLog.newBuilder()
                .setPath(file.path())
                .setLogFormat(LogFormats.of(file.format(), file.emptyValues()))
                .build();
    }

    private HttpGrpcAccessLogConfig http(TelemetryProvider.HttpLogService service, String cluster) {
        return HttpGrpcAccessLogConfig.newBuilder()
                .setCommonConfig(common(service.backend(), cluster, service.logName(), HTTP_NAME)
                        .addAllFilterStateObjectsToLog(service.filterState()))
                .addAllAdditionalRequestHeadersToLog(service.requestHeaders())
                .addAllAdditionalResponseHeadersToLog(service.responseHeaders())
                .addAllAdditionalResponseTrailersToLog(service.responseTrailers())
                .build();
    }

    private TcpGrpcAccessLogConfig tcp(TelemetryProvider.TcpLogService service, String cluster) {
        return TcpGrpcAccessLogConfig.newBuilder()
                .setCommonConfig(common(service.backend(), cluster, service.logName(), TCP_NAME)
                        .addAllFilterStateObjectsToLog(service.filterState()))
                .build();
    }

    private OpenTelemetryAccessLogConfig otel(TelemetryProvider.OtelLog otel, String cluster) {
        var text =
                otel.format().text().isEmpty() ? LogFormats.TEXT : otel.format().text();
        var config = OpenTelemetryAccessLogConfig.newBuilder()
                .setCommonConfig(common(otel.backend(), cluster, otel.logName(), OTEL_NAME))
                .setDisableBuiltinLabels(true)
                .setBody(AnyValue.newBuilder().setStringValue(text));
        if (!otel.format().labels().isEmpty()) {
            config.setAttributes(attributes(otel.format()));
        }
        return config.build();
    }

    private static KeyValueList attributes(LogFormat format) {
        var attributes = KeyValueList.newBuilder();
        JsonStruct.of(format.labels())
                .getFieldsMap()
                .forEach((key, value) -> attributes.addValues(KeyValue.newBuilder()
                        .setKey(key)
                        .setValue(AnyValue.newBuilder().setStringValue(value.getStringValue()))));
        return attributes.build();
    }

    private CommonGrpcAccessLogConfig.Builder common(Backend backend, String cluster, String name, String fallback) {
        return CommonGrpcAccessLogConfig.newBuilder()
                .setLogName(name.isEmpty() ? fallback : name)
                .setGrpcService(ProviderDestinations.grpc(backend, cluster))
                .setTransportApiVersion(ApiVersion.V3);
    }
}
