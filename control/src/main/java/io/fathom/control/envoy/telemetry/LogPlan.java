// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import io.fathom.wire.kube.meshconfig.MeshTelemetry;
import io.fathom.wire.kube.meshconfig.MeshTelemetry.LogEncoding;
import io.fathom.wire.kube.meshconfig.TelemetryProvider;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.EmptyValues;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.FileLog;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.LogFormat;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import io.fathom.wire.kube.telemetry.TelemetryManifest.AccessLogging;
import io.fathom.wire.kube.telemetry.TrafficMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Which logs a proxy writes: what Telemetries say, the later over the earlier, else what MeshConfig says.
/// A filter that no Envoy takes lets nothing through: users asked for less than everything.
record LogPlan(List<Sink> sinks) {
    /// @param filter a CEL expression
    record Sink(TelemetryProvider provider, Optional<String> filter) {}

    /// @param levels from the widest to the narrowest
    static LogPlan of(MeshTelemetry mesh, TrafficMode side, List<TelemetryManifest> levels) {
        Map<String, Optional<String>> chosen = new LinkedHashMap<>();
        mesh.logProviders().forEach(name -> chosen.put(name, Optional.empty()));
        var asked = false;
        for (var level : levels) {
            var entries = level.accessLogging().stream()
                    .filter(entry -> entry.mode().covers(side))
                    .toList();
            asked |= !entries.isEmpty();
            apply(entries, chosen);
        }
        var sinks = new ArrayList<Sink>();
        chosen.forEach(
                (name, filter) -> named(mesh, name).ifPresent(provider -> sinks.add(new Sink(provider, filter))));
        if (!asked && mesh.logProviders().isEmpty() && !mesh.logFile().isEmpty()) {
            sinks.add(new Sink(meshFile(mesh, mesh.logFile()), Optional.empty()));
        }
        return new LogPlan(List.copyOf(sinks));
    }

    /// A Telemetry that names providers replaces those before it; one that names none speaks of them.
    private static void apply(List<AccessLogging> entries, Map<String, Optional<String>> chosen) {
        var before = List.copyOf(chosen.keySet());
        if (entries.stream().anyMatch(entry -> !entry.providers().isEmpty())) {
            chosen.clear();
        }
        for (var entry : entries) {
            var names = entry.providers().isEmpty() ? before : entry.providers();
            for (var name : names) {
                if (entry.disabled().orElse(false)
                        || entry.filter().flatMap(CelReview::mistake).isPresent()) {
                    chosen.remove(name);
                } else {
                    chosen.put(name, entry.filter());
                }
            }
        }
    }

    /// The provider `envoy` that is there by itself writes what MeshConfig says.
    private static Optional<TelemetryProvider> named(MeshTelemetry mesh, String name) {
        return mesh.provider(name)
                .map(provider -> provider.equals(TelemetryProvider.BUILT_IN.get("envoy"))
                        ? meshFile(mesh, mesh.logFile().isEmpty() ? "/dev/stdout" : mesh.logFile())
                        : provider);
    }

    private static FileLog meshFile(MeshTelemetry mesh, String path) {
        var format = mesh.logEncoding() == LogEncoding.JSON
                ? new LogFormat("", mesh.logFormat().isEmpty() ? LogSinks.DEFAULT_LABELS : mesh.logFormat())
                : new LogFormat(mesh.logFormat(), "");
        return new FileLog("envoy", path, format, EmptyValues.DASH);
    }
}
