// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.telemetry;

import com.google.protobuf.Any;
import com.google.protobuf.BoolValue;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.config.accesslog.v3.AccessLog;
import io.envoyproxy.envoy.config.accesslog.v3.AccessLogFilter;
import io.envoyproxy.envoy.config.accesslog.v3.LogTypeFilter;
import io.envoyproxy.envoy.data.accesslog.v3.AccessLogType;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.Tracing;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.RequestIDExtension;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.envoyproxy.envoy.extensions.request_id.uuid.v3.UuidRequestIdConfig;
import io.envoyproxy.envoy.type.v3.Percent;
import io.fathom.control.envoy.telemetry.LogPlan.Sink;
import io.fathom.control.envoy.telemetry.Metric.MetricTraffic;
import io.fathom.control.envoy.telemetry.TracePlan.Propagation;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.Reach;
import io.fathom.control.envoy.view.Situation;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.meshconfig.MeshTelemetry;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import io.fathom.wire.kube.telemetry.TrafficMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Optional;

/// What the proxies of a group log, trace and measure of the traffic to one service, or of all their traffic. Of
/// several Telemetries that reach equally far the oldest counts; narrower ones win over wider ones. Immutable.
public final class TelemetryScope {
    /// The number of `no_context_propagation`, which the Java API of Envoy that we build with does not have yet.
    private static final int NO_CONTEXT_PROPAGATION = 13;

    private static final Percent ALWAYS = Percent.newBuilder().setValue(100).build();

    private final Situation situation;
    private final MetricPlan metrics;
    private final int mostMetrics;
    private final List<AccessLog> httpLogs;
    private final List<AccessLog> tcpLogs;
    private final List<Sink> sinks;
    private final LogSinks logSinks;
    private final Optional<Tracing> tracing;
    private final Optional<Boolean> sampleByRequestId;
    private final List<ProviderUse> used;

    private TelemetryScope(
            Settings settings, Situation situation, List<TelemetryManifest> levels, Destinations destinations) {
        var side = situation.group().role() == ProxyRole.INGRESS ? TrafficMode.CLIENT : TrafficMode.SERVER;
        var mesh = settings.mesh();
        var backends = new ProviderDestinations(situation.group().gateway(), destinations);
        this.situation = situation;
        mostMetrics = settings.mostMetrics();
        metrics = MetricPlan.of(mesh, side, levels);
        sinks = LogPlan.of(mesh, side, levels).sinks();
        logSinks = new LogSinks(backends);
        httpLogs = logs(Layer.HTTP, List.of());
        tcpLogs = logs(Layer.TCP, List.of(ofType(AccessLogType.TcpConnectionEnd)));
        var plan = TracePlan.of(mesh, side, levels);
        tracing = plan.flatMap(found -> tracing(found, settings, backends));
        sampleByRequestId = plan.flatMap(TracePlan::sampleByRequestId);
        used = backends.used();
    }

    /// What holds for the whole mesh.
    ///
    /// @param meshId told by spans
    /// @param mostMetrics how many counters a proxy keeps, and how many histograms
    public record Settings(MeshTelemetry mesh, String meshId, int mostMetrics) {
        public static Settings of(MeshTelemetry mesh, String meshId) {
            return new Settings(mesh, meshId, StatsLogger.MOST);
        }
    }

    /// Picks those that are for the situation.
    ///
    /// @param candidates at least those of the root namespace, the proxies' and the service's; others are left out
    public static TelemetryScope of(
            Settings settings, Situation situation, List<TelemetryManifest> candidates, Destinations destinations) {
        return new TelemetryScope(settings, situation, levels(candidates, situation), destinations);
    }

    /// Those that count, from the widest to the narrowest.
    static List<TelemetryManifest> levels(List<TelemetryManifest> candidates, Situation situation) {
        var byReach = new EnumMap<Reach, TelemetryManifest>(Reach.class);
        candidates.stream()
                .sorted(Comparator.comparing(TelemetryManifest::metadata, Metadata.OLDEST_FIRST))
                .forEach(telemetry -> Reach.of(telemetry.key(), telemetry.selector(), telemetry.targets(), situation)
                        .ifPresent(reach -> byReach.putIfAbsent(reach, telemetry)));
        return List.copyOf(byReach.values());
    }

    /// The access logs of requests, with the logger that keeps metrics.
    public List<AccessLog> httpLogs() {
        var logs = new ArrayList<>(httpLogs);
        stats(MetricTraffic.HTTP, List.of()).ifPresent(logs::add);
        return List.copyOf(logs);
    }

    /// Empty when requests are not traced.
    public Optional<Tracing> tracing() {
        return tracing;
    }

    public RequestTracing requestTracing() {
        return new RequestTracing(
                tracing,
                sampleByRequestId.map(use -> RequestIDExtension.newBuilder()
                        .setTypedConfig(Any.pack(UuidRequestIdConfig.newBuilder()
                                .setUseRequestIdForTraceSampling(BoolValue.of(use))
                                .build()))
                        .build()));
    }

    /// Adds access logs, metrics and tracing to the handling of requests.
    public void addTo(HttpConnectionManager.Builder manager) {
        manager.addAllAccessLog(httpLogs());
        requestTracing().addTo(manager);
    }

    /// The access logs of connections, with the loggers that keep metrics. They count on lines when a connection to the
    /// destination is there (`flush_access_log_on_connected`), which [#addTo(TcpProxy.Builder)] asks for.
    public List<AccessLog> tcpLogs() {
        var logs = new ArrayList<>(tcpLogs);
        stats(MetricTraffic.TCP_OPENED, List.of(AccessLogType.TcpUpstreamConnected))
                .ifPresent(logs::add);
        stats(MetricTraffic.TCP_CLOSED, List.of(AccessLogType.TcpConnectionEnd)).ifPresent(logs::add);
        return List.copyOf(logs);
    }

    /// Adds access logs and metrics to the handling of connections.
    public void addTo(TcpProxy.Builder proxy) {
        proxy.addAllAccessLog(tcpLogs());
        proxy.setAccessLogOptions(TcpProxy.TcpAccessLogOptions.newBuilder().setFlushAccessLogOnConnected(true));
    }

    /// The access logs for a layer that is only worth a line when `only` holds: tunnels that fail.
    public List<AccessLog> failures(AccessLogFilter only) {
        return logs(Layer.HTTP, List.of(only));
    }

    /// Services that need clusters in these proxies, because logs or spans are sent there.
    public List<ProviderUse> providers() {
        return used;
    }

    private List<AccessLog> logs(Layer layer, List<AccessLogFilter> only) {
        var logs = new ArrayList<AccessLog>();
        sinks.forEach(sink -> logSinks.log(sink, layer, only).ifPresent(logs::add));
        return List.copyOf(logs);
    }

    private Optional<AccessLog> stats(MetricTraffic traffic, List<AccessLogType> when) {
        var labels = traffic == MetricTraffic.HTTP ? MetricLabels.http(situation) : MetricLabels.tcp(situation);
        return StatsLogger.of(metrics, traffic, labels, mostMetrics)
                .map(log -> when.isEmpty()
                        ? log
                        : log.toBuilder().setFilter(ofType(when.getFirst())).build());
    }

    private static AccessLogFilter ofType(AccessLogType type) {
        return AccessLogFilter.newBuilder()
                .setLogTypeFilter(LogTypeFilter.newBuilder().addTypes(type))
                .build();
    }

    private Optional<Tracing> tracing(TracePlan plan, Settings settings, ProviderDestinations backends) {
        var group = situation.group();
        var serviceName = MetricLabels.canonicalService(group) + "." + group.namespace();
        return new Tracers(backends, serviceName).tracer(plan.provider()).map(tracer -> {
            var tracing = Tracing.newBuilder()
                    .setProvider(tracer)
                    .setClientSampling(ALWAYS)
                    .setOverallSampling(ALWAYS)
                    .setRandomSampling(Percent.newBuilder().setValue(plan.sampling()))
                    .addAllCustomTags(SpanTags.of(plan, situation, settings.meshId()));
            if (group.role() == ProxyRole.INGRESS) {
                tracing.setSpawnUpstreamSpan(BoolValue.of(true));
            }
            var longest = Math.max(Tracers.maxTagLength(plan.provider()), 0);
            var length = longest > 0 ? longest : plan.maxPathTagLength();
            if (length > 0) {
                tracing.setMaxPathTagLength(UInt32Value.of(length));
            }
            if (plan.propagation() == Propagation.OFF) {
                tracing.setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                NO_CONTEXT_PROPAGATION,
                                UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                        .build());
            }
            return tracing.build();
        });
    }
}
