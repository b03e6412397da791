// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.telemetry;

import io.fathom.wire.kube.manifest.Durations;
import io.fathom.wire.kube.manifest.Interner;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.SelectorReader;
import io.fathom.wire.kube.manifest.Values;
import io.fathom.wire.kube.security.TargetRefs;
import io.fathom.wire.kube.telemetry.TelemetryManifest.AccessLogging;
import io.fathom.wire.kube.telemetry.TelemetryManifest.MetricOverride;
import io.fathom.wire.kube.telemetry.TelemetryManifest.Metrics;
import io.fathom.wire.kube.telemetry.TelemetryManifest.TagOverride;
import io.fathom.wire.kube.telemetry.TelemetryManifest.Tracing;
import io.fathom.wire.kube.tree.Choices;
import io.fathom.wire.kube.tree.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads Telemetries.
public final class TelemetryReader implements KindReader {
    public static final Choices<TrafficMode> MODES =
            Choices.of(TrafficMode.class, TrafficMode::name).or("UNDEFINED", TrafficMode.CLIENT_AND_SERVER);

    private enum Metric {
        ALL_METRICS,
        REQUEST_COUNT,
        REQUEST_DURATION,
        REQUEST_SIZE,
        RESPONSE_SIZE,
        TCP_OPENED_CONNECTIONS,
        TCP_CLOSED_CONNECTIONS,
        TCP_SENT_BYTES,
        TCP_RECEIVED_BYTES,
        GRPC_REQUEST_MESSAGES,
        GRPC_RESPONSE_MESSAGES
    }

    private enum Change {
        UPSERT,
        REMOVE
    }

    private static final Choices<Metric> METRICS = Choices.of(Metric.class, Metric::name);
    private static final Choices<Change> CHANGES = Choices.of(Change.class, Change::name);

    @Override
    public Manifest read(Metadata metadata, Field object, Interner interner) {
        var spec = object.at("spec");
        return new TelemetryManifest(
                metadata,
                SelectorReader.workloads(spec.at("selector"), interner),
                TargetRefs.read(spec),
                spec.at("tracing").items().stream()
                        .map(TelemetryReader::tracing)
                        .toList(),
                spec.at("metrics").items().stream()
                        .map(TelemetryReader::metrics)
                        .toList(),
                spec.at("accessLogging").items().stream()
                        .map(TelemetryReader::logging)
                        .toList());
    }

    private static Tracing tracing(Field tracing) {
        return new Tracing(
                mode(tracing),
                providers(tracing),
                Values.percent(tracing.at("randomSamplingPercentage")),
                Values.flag(tracing.at("disableSpanReporting")),
                tags(tracing.at("customTags")),
                Values.flag(tracing.at("useRequestIdForTraceSampling")),
                Values.flag(tracing.at("enableIstioTags")),
                Values.flag(tracing.at("disableContextPropagation")));
    }

    /// Tags of spans, also those of MeshConfig.
    public static Map<String, TraceTag> tags(Field tags) {
        var result = new LinkedHashMap<String, TraceTag>();
        tags.entries().forEach((name, tag) -> result.put(name, tag(tag)));
        return result;
    }

    private static TraceTag tag(Field tag) {
        if (tag.at("literal").isPresent()) {
            return new TraceTag.Literal(tag.at("literal").at("value").requiredText());
        }
        if (tag.at("environment").isPresent()) {
            var variable = tag.at("environment");
            return new TraceTag.Environment(
                    variable.at("name").requiredText(),
                    variable.at("defaultValue").text());
        }
        if (tag.at("header").isPresent()) {
            var header = tag.at("header");
            return new TraceTag.RequestHeader(
                    header.at("name").requiredText(), header.at("defaultValue").text());
        }
        if (tag.at("formatter").isPresent()) {
            return new TraceTag.Formatted(tag.at("formatter").at("value").requiredText());
        }
        throw tag.wrong(
                "manifest-missing-field",
                "says not where its value is from",
                "add literal, environment, header or formatter");
    }

    private static Metrics metrics(Field metrics) {
        return new Metrics(
                providers(metrics),
                metrics.at("overrides").items().stream()
                        .map(TelemetryReader::override)
                        .toList(),
                Durations.decimal(metrics.at("reportingInterval")));
    }

    private static MetricOverride override(Field override) {
        var match = override.at("match");
        var custom = match.at("customMetric").text();
        var tags = new LinkedHashMap<String, TagOverride>();
        override.at("tagOverrides").entries().forEach((name, tag) -> tags.put(name, tagOverride(tag)));
        return new MetricOverride(
                custom.isEmpty()
                        ? match.at("metric").oneOf(METRICS, Metric.ALL_METRICS).name()
                        : custom,
                match.at("mode").oneOf(MODES, TrafficMode.CLIENT_AND_SERVER),
                Values.flag(override.at("disabled")),
                tags);
    }

    private static TagOverride tagOverride(Field tag) {
        return switch (tag.at("operation").oneOf(CHANGES, Change.UPSERT)) {
            case UPSERT -> new TagOverride.Upsert(tag.at("value").requiredText());
            case REMOVE -> new TagOverride.Remove();
        };
    }

    private static AccessLogging logging(Field logging) {
        return new AccessLogging(
                mode(logging),
                providers(logging),
                Values.flag(logging.at("disabled")),
                Optional.of(logging.at("filter").at("expression").text()).filter(text -> !text.isEmpty()));
    }

    private static TrafficMode mode(Field part) {
        return part.at("match").at("mode").oneOf(MODES, TrafficMode.CLIENT_AND_SERVER);
    }

    private static List<String> providers(Field part) {
        return part.at("providers").items().stream()
                .map(provider -> provider.at("name").requiredText())
                .toList();
    }
}
