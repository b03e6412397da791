// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.meshconfig;

import io.fathom.wire.kube.telemetry.TraceTag;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What MeshConfig says about logs, spans and metrics of the whole mesh.
///
/// @param logFile where every proxy logs; empty for nowhere
/// @param logFormat empty for the default of the encoding
/// @param logProviders used where no Telemetry names any; the same for the next two
/// @param tracing of proxies that no Telemetry says anything else to
/// @param providers by name, in the order in which they are written
public record MeshTelemetry(
        String logFile,
        String logFormat,
        LogEncoding logEncoding,
        TracingSwitch tracingSwitch,
        List<String> logProviders,
        List<String> tracingProviders,
        Optional<List<String>> metricsProviders,
        MeshTracing tracing,
        List<TelemetryProvider> providers) {

    public static final MeshTelemetry NOTHING = new MeshTelemetry(
            "",
            "",
            LogEncoding.TEXT,
            TracingSwitch.OFF,
            List.of(),
            List.of(),
            Optional.empty(),
            MeshTracing.NOTHING,
            List.of());

    public enum LogEncoding {
        TEXT,
        JSON
    }

    /// Whether proxies trace without a Telemetry: `enableTracing`.
    public enum TracingSwitch {
        OFF,
        ON
    }

    /// `defaultConfig.tracing`.
    ///
    /// @param zipkin `host:port` of a collector; empty when not set
    /// @param maxPathTagLength 0 when not set
    public record MeshTracing(
            Optional<Double> sampling, String zipkin, int maxPathTagLength, Map<String, TraceTag> tags) {
        public static final MeshTracing NOTHING = new MeshTracing(Optional.empty(), "", 0, Map.of());

        public MeshTracing {
            tags = Map.copyOf(tags);
        }
    }

    public MeshTelemetry {
        logProviders = List.copyOf(logProviders);
        tracingProviders = List.copyOf(tracingProviders);
        metricsProviders = metricsProviders.map(List::copyOf);
        providers = List.copyOf(providers);
    }

    /// The provider with that name, also one that is there by itself.
    public Optional<TelemetryProvider> provider(String name) {
        return providers.stream()
                .filter(provider -> provider.name().equals(name))
                .findFirst()
                .or(() -> Optional.ofNullable(TelemetryProvider.BUILT_IN.get(name)));
    }
}
