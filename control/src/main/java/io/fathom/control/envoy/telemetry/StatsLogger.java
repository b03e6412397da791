// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import com.google.protobuf.Any;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.accesslog.v3.AccessLog;
import io.fathom.control.envoy.telemetry.Metric.MetricTraffic;
import io.fathom.wire.proto.envoy.Config;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/// The access logger that keeps the mesh's metrics. Envoy shows them with `envoy_` in front; whoever serves them to
/// Prometheus takes that away.
final class StatsLogger {
    /// As many as a proxy keeps of each kind, over all its loggers; more label values than that are dropped.
    static final int MOST = 5000;

    private static final String PREFIX = "istio";

    private StatsLogger() {}

    /// Empty when nothing is kept.
    static Optional<AccessLog> of(MetricPlan plan, MetricTraffic traffic, Map<String, String> labels, int most) {
        var metrics = Arrays.stream(Metric.values())
                .filter(metric -> metric.traffic() == traffic && plan.keeps(metric))
                .toList();
        if (metrics.isEmpty()) {
            return Optional.empty();
        }
        var config = Config.newBuilder().setStatsScope(scope(most));
        for (var metric : metrics) {
            metric.addTo(
                    config,
                    plan.labels(metric, labels).entrySet().stream()
                            .map(label -> Config.Tag.newBuilder()
                                    .setName(label.getKey())
                                    .setValueFormat(label.getValue())
                                    .build())
                            .toList());
        }
        return Optional.of(AccessLog.newBuilder()
                .setName("envoy.access_loggers.stats")
                .setTypedConfig(Any.pack(config.build()))
                .build());
    }

    /// Shared by name, so that metrics outlive changes of the listeners they come from.
    private static Config.Scope scope(int most) {
        return Config.Scope.newBuilder()
                .setPrefix(PREFIX)
                .setSharingName(PREFIX)
                .setMaxCounters(UInt32Value.of(most))
                .setMaxHistograms(UInt32Value.of(most))
                .setEnableEviction(true)
                .build();
    }
}
