// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.telemetry;

import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A Telemetry: what is logged, traced and measured. Lists keep the order in which they are written.
///
/// @param selector empty when it has none
public record TelemetryManifest(
        Metadata metadata,
        Optional<Map<String, String>> selector,
        List<PolicyTarget> targets,
        List<Tracing> tracing,
        List<Metrics> metrics,
        List<AccessLogging> accessLogging)
        implements Manifest {

    /// How requests are traced.
    ///
    /// @param providers none means those that were there before
    /// @param sampling percent of requests, up to 100
    public record Tracing(
            TrafficMode mode,
            List<String> providers,
            Optional<Double> sampling,
            Optional<Boolean> disabled,
            Map<String, TraceTag> tags,
            Optional<Boolean> sampleByRequestId,
            Optional<Boolean> istioTags,
            Optional<Boolean> noPropagation) {
        public Tracing {
            providers = List.copyOf(providers);
            tags = Map.copyOf(tags);
        }
    }

    public record Metrics(List<String> providers, List<MetricOverride> overrides, Optional<Duration> interval) {
        public Metrics {
            providers = List.copyOf(providers);
            overrides = List.copyOf(overrides);
        }
    }

    /// What becomes of a metric.
    ///
    /// @param metric as Istio's list of metrics spells it, or the name of a custom one; `ALL_METRICS` for all
    public record MetricOverride(
            String metric, TrafficMode mode, Optional<Boolean> disabled, Map<String, TagOverride> tags) {
        public static final String ALL = "ALL_METRICS";

        public MetricOverride {
            tags = Map.copyOf(tags);
        }
    }

    /// What becomes of a label of a metric.
    public sealed interface TagOverride {
        /// Set it, whether it was there or not.
        ///
        /// @param expression in CEL
        record Upsert(String expression) implements TagOverride {}

        record Remove() implements TagOverride {}
    }

    /// What is logged.
    ///
    /// @param filter a CEL expression: only what it is true for is logged
    public record AccessLogging(
            TrafficMode mode, List<String> providers, Optional<Boolean> disabled, Optional<String> filter) {
        public AccessLogging {
            providers = List.copyOf(providers);
        }
    }

    public TelemetryManifest {
        selector = selector.map(Map::copyOf);
        targets = List.copyOf(targets);
        tracing = List.copyOf(tracing);
        metrics = List.copyOf(metrics);
        accessLogging = List.copyOf(accessLogging);
    }
}
