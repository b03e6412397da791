// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

import io.fathom.wire.kube.manifest.Durations;
import io.fathom.wire.kube.manifest.Ports;
import io.fathom.wire.kube.manifest.Values;
import io.fathom.wire.kube.meshconfig.MeshTelemetry.LogEncoding;
import io.fathom.wire.kube.meshconfig.MeshTelemetry.MeshTracing;
import io.fathom.wire.kube.meshconfig.MeshTelemetry.TracingSwitch;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.Backend;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.EmptyValues;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.Header;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.HttpExport;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.LogFormat;
import io.fathom.wire.kube.telemetry.TelemetryReader;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Reads what MeshConfig says about telemetry.
final class MeshTelemetryReader {
    private static final Choices<LogEncoding> ENCODINGS = Choices.of(LogEncoding.class, LogEncoding::name);
    private static final Duration EXPORT_TIMEOUT = Duration.ofSeconds(10);
    private static final int LONGEST_TAG = 1 << 20;

    private MeshTelemetryReader() {}

    static MeshTelemetry read(Field mesh) {
        var defaults = mesh.at("defaultProviders");
        var encoding = mesh.at("accessLogEncoding").oneOf(ENCODINGS, LogEncoding.TEXT);
        return new MeshTelemetry(
                mesh.at("accessLogFile").text(),
                format(mesh.at("accessLogFormat"), encoding),
                encoding,
                mesh.at("enableTracing").flag() ? TracingSwitch.ON : TracingSwitch.OFF,
                defaults.at("accessLogging").texts(),
                defaults.at("tracing").texts(),
                defaults.at("metrics").isPresent()
                        ? Optional.of(defaults.at("metrics").texts())
                        : Optional.empty(),
                tracing(mesh.at("defaultConfig").at("tracing")),
                mesh.at("extensionProviders").items().stream()
                        .flatMap(provider -> provider(provider).stream())
                        .toList());
    }

    private static String format(Field format, LogEncoding encoding) {
        var text = format.text();
        if (text.isEmpty() || encoding == LogEncoding.TEXT) {
            return text;
        }
        try {
            return Values.jsonObject(format.embedded(Json.parse("", text)));
        } catch (MisreadException _) {
            throw format.wrong(
                    "manifest-bad-value",
                    "is no JSON object",
                    "write an object of labels, or use accessLogEncoding: TEXT");
        }
    }

    private static MeshTracing tracing(Field tracing) {
        return new MeshTracing(
                Values.percent(tracing.at("sampling")),
                tracing.at("zipkin").at("address").text(),
                tracing.at("maxPathTagLength").integer(0, LONGEST_TAG).orElse(0),
                TelemetryReader.tags(tracing.at("customTags")));
    }

    /// Empty for providers of something else than telemetry.
    private static Optional<TelemetryProvider> provider(Field provider) {
        for (var entry : provider.entries().entrySet()) {
            var found = provider(provider.at("name").text(), entry.getKey(), entry.getValue());
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static Optional<TelemetryProvider> provider(String name, String kind, Field of) {
        return Optional.ofNullable(
                switch (kind) {
                    case "prometheus" -> new TelemetryProvider.Prometheus(name);
                    case "envoyFileAccessLog" ->
                        new TelemetryProvider.FileLog(
                                name,
                                of.at("path").text("/dev/stdout"),
                                format(of.at("logFormat")),
                                of.at("omitEmptyValues").flag() ? EmptyValues.OMIT : EmptyValues.DASH);
                    case "envoyHttpAls" ->
                        new TelemetryProvider.HttpLogService(
                                name,
                                backend(of),
                                of.at("logName").text(),
                                of.at("filterStateObjectsToLog").texts(),
                                of.at("additionalRequestHeadersToLog").texts(),
                                of.at("additionalResponseHeadersToLog").texts(),
                                of.at("additionalResponseTrailersToLog").texts());
                    case "envoyTcpAls" ->
                        new TelemetryProvider.TcpLogService(
                                name,
                                backend(of),
                                of.at("logName").text(),
                                of.at("filterStateObjectsToLog").texts());
                    case "envoyOtelAls" ->
                        new TelemetryProvider.OtelLog(
                                name, backend(of), of.at("logName").text(), format(of.at("logFormat")));
                    case "opentelemetry" -> otel(name, of);
                    case "zipkin" ->
                        new TelemetryProvider.Zipkin(
                                name,
                                backend(of),
                                maxTag(of),
                                of.at("path").text(),
                                of.at("enable64bitTraceId").flag()
                                        ? TelemetryProvider.Zipkin.IdLength.BITS_64
                                        : TelemetryProvider.Zipkin.IdLength.BITS_128);
                    case "datadog" -> new TelemetryProvider.Datadog(name, backend(of), maxTag(of));
                    case "skywalking" ->
                        new TelemetryProvider.SkyWalking(
                                name, backend(of), of.at("accessToken").text());
                    case "stackdriver", "lightstep", "opencensus" -> new TelemetryProvider.Unsupported(name, kind);
                    default -> null;
                });
    }

    private static TelemetryProvider otel(String name, Field otel) {
        var http = otel.at("http");
        var grpc = otel.at("grpc");
        return new TelemetryProvider.OtelTrace(
                name,
                backend(otel),
                maxTag(otel),
                http.isPresent()
                        ? Optional.of(new HttpExport(
                                http.at("path").text(),
                                Durations.decimal(http.at("timeout")).orElse(EXPORT_TIMEOUT),
                                headers(http.at("headers"))))
                        : Optional.empty(),
                Durations.decimal(grpc.at("timeout")),
                headers(grpc.at("initialMetadata")),
                otel.at("resourceDetectors").at("environment").isPresent()
                        ? TelemetryProvider.OtelTrace.Detector.ENVIRONMENT
                        : TelemetryProvider.OtelTrace.Detector.NONE);
    }

    private static List<Header> headers(Field headers) {
        return headers.items().stream()
                .map(header -> new Header(
                        header.at("name").requiredText(),
                        header.at("envName").isPresent()
                                ? header.at("envName").text()
                                : header.at("value").text(),
                        header.at("envName").isPresent()
                                ? Header.ProviderSource.ENVIRONMENT
                                : Header.ProviderSource.LITERAL))
                .toList();
    }

    private static Backend backend(Field provider) {
        return new Backend(
                provider.at("service").requiredText(), provider.at("port").requiredInteger(1, Ports.MOST));
    }

    private static int maxTag(Field provider) {
        return provider.at("maxTagLength").integer(0, LONGEST_TAG).orElse(0);
    }

    private static LogFormat format(Field format) {
        return new LogFormat(format.at("text").text(), Values.jsonObject(format.at("labels")));
    }
}
