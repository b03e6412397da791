// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import io.fathom.wire.kube.meshconfig.MeshTelemetry;
import io.fathom.wire.kube.meshconfig.TelemetryProvider;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import io.fathom.wire.kube.telemetry.TelemetryManifest.MetricOverride;
import io.fathom.wire.kube.telemetry.TelemetryManifest.TagOverride;
import io.fathom.wire.kube.telemetry.TrafficMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Which metrics a proxy keeps, and with which labels: what Telemetries say, the later over the earlier.
///
/// @param overrides in order; empty lists keep everything
record MetricPlan(Kept kept, List<MetricOverride> overrides) {
    enum Kept {
        NOTHING,
        METRICS
    }

    /// @param levels from the widest to the narrowest
    static MetricPlan of(MeshTelemetry mesh, TrafficMode side, List<TelemetryManifest> levels) {
        var providers = mesh.metricsProviders().orElse(List.of("prometheus"));
        var overrides = new ArrayList<MetricOverride>();
        for (var level : levels) {
            for (var metrics : level.metrics()) {
                if (!metrics.providers().isEmpty()) {
                    providers = metrics.providers();
                }
                metrics.overrides().stream()
                        .filter(override -> override.mode().covers(side))
                        .forEach(overrides::add);
            }
        }
        var kept = providers.stream()
                .flatMap(name -> mesh.provider(name).stream())
                .anyMatch(TelemetryProvider.Prometheus.class::isInstance);
        return new MetricPlan(kept ? Kept.METRICS : Kept.NOTHING, List.copyOf(overrides));
    }

    boolean keeps(Metric metric) {
        if (kept == Kept.NOTHING) {
            return false;
        }
        var on = true;
        for (var override : overrides) {
            if (covers(override, metric) && override.disabled().isPresent()) {
                on = !override.disabled().get();
            }
        }
        return on;
    }

    /// Format strings by the name of the label.
    Map<String, String> labels(Metric metric, Map<String, String> standard) {
        var labels = new LinkedHashMap<>(standard);
        overrides.stream()
                .filter(override -> covers(override, metric))
                .forEach(override -> override.tags().entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .forEach(tag -> {
                            switch (tag.getValue()) {
                                case TagOverride.Upsert(var expression) ->
                                    labels.put(tag.getKey(), Expressions.format(expression));
                                case TagOverride.Remove() -> labels.remove(tag.getKey());
                            }
                        }));
        return labels;
    }

    private static boolean covers(MetricOverride override, Metric metric) {
        return override.metric().equals(MetricOverride.ALL) || override.metric().equals(metric.name());
    }
}
