// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import io.fathom.wire.kube.meshconfig.MeshTelemetry;
import io.fathom.wire.kube.meshconfig.MeshTelemetry.TracingSwitch;
import io.fathom.wire.kube.meshconfig.TelemetryProvider;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.Backend;
import io.fathom.wire.kube.meshconfig.TelemetryProvider.Zipkin;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import io.fathom.wire.kube.telemetry.TraceTag;
import io.fathom.wire.kube.telemetry.TrafficMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// How a proxy traces: what Telemetries say, the later over the earlier, else what MeshConfig says.
///
/// @param sampling percent of requests
/// @param tags by name
record TracePlan(
        TelemetryProvider provider,
        double sampling,
        SortedMap<String, TraceTag> tags,
        IstioTags istioTags,
        Optional<Boolean> sampleByRequestId,
        Propagation propagation,
        int maxPathTagLength) {
    private static final double DEFAULT_SAMPLING = 1;
    private static final String LOCAL_ZIPKIN = "zipkin";

    enum IstioTags {
        NONE,
        ALL
    }

    enum Propagation {
        NORMAL,
        OFF
    }

    /// Empty when nothing is traced.
    ///
    /// @param levels from the widest to the narrowest
    static Optional<TracePlan> of(MeshTelemetry mesh, TrafficMode side, List<TelemetryManifest> levels) {
        var entries = levels.stream()
                .flatMap(level -> level.tracing().stream())
                .filter(entry -> entry.mode().covers(side))
                .toList();
        List<String> providers = mesh.tracingProviders();
        Optional<Double> sampling = Optional.empty();
        Optional<Boolean> disabled = Optional.empty();
        Map<String, TraceTag> tags = Map.of();
        Optional<Boolean> istioTags = Optional.empty();
        Optional<Boolean> byRequestId = Optional.empty();
        Optional<Boolean> noPropagation = Optional.empty();
        for (var entry : entries) {
            providers = entry.providers().isEmpty() ? providers : entry.providers();
            sampling = entry.sampling().or(orElse(sampling));
            disabled = entry.disabled().or(orElse(disabled));
            tags = entry.tags().isEmpty() ? tags : entry.tags();
            istioTags = entry.istioTags().or(orElse(istioTags));
            byRequestId = entry.sampleByRequestId().or(orElse(byRequestId));
            noPropagation = entry.noPropagation().or(orElse(noPropagation));
        }
        if (disabled.orElse(false)) {
            return Optional.empty();
        }
        var provider = providers.stream()
                .flatMap(name -> mesh.provider(name).stream())
                .findFirst()
                .or(() -> local(mesh));
        if (provider.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new TracePlan(
                provider.get(),
                sampling.or(() -> mesh.tracing().sampling()).orElse(DEFAULT_SAMPLING),
                new TreeMap<>(tags.isEmpty() ? mesh.tracing().tags() : tags),
                istioTags.orElse(true) ? IstioTags.ALL : IstioTags.NONE,
                byRequestId,
                noPropagation.orElse(false) ? Propagation.OFF : Propagation.NORMAL,
                mesh.tracing().maxPathTagLength()));
    }

    private static <T> java.util.function.Supplier<Optional<T>> orElse(Optional<T> before) {
        return () -> before;
    }

    /// What `defaultConfig.tracing` names, where `enableTracing` is set.
    private static Optional<TelemetryProvider> local(MeshTelemetry mesh) {
        var address = mesh.tracing().zipkin();
        var colon = address.lastIndexOf(':');
        if (mesh.tracingSwitch() == TracingSwitch.OFF
                || colon < 0
                || !address.substring(colon + 1).matches("[0-9]{1,5}")) {
            return Optional.empty();
        }
        var backend = new Backend(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        return Optional.of(new Zipkin(LOCAL_ZIPKIN, backend, 0, "", Zipkin.IdLength.BITS_128));
    }
}
