// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.app.BuildInfo;
import io.fathom.app.http.MetricsText;
import io.fathom.app.http.Page;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.xds.XdsObserver;
import io.fathom.wire.xds.store.XdsType;
import io.fathom.wire.xds.stream.ClientNode;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/// The metrics of the control plane under upstream's names and labels. Called from many threads; never blocks.
public final class ControlMetrics implements XdsObserver {
    /// Upstream's bounds, with finer ones below: pushes here take milliseconds.
    private static final double[] SECONDS = {.0005, .001, .002, .005, .01, .02, .05, .1, .5, 1, 3, 5, 10, 20, 30};

    private static final double[] BYTES = {1, 10_000, 1_000_000, 4_000_000, 10_000_000, 40_000_000};
    private static final double NANOS = 1e9;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Gauge clients = gauge("pilot_xds", "Clients connected, by their version.", "version");
    private final Counter pushes = counter("pilot_xds_pushes", "Responses sent.", "type");
    private final Histogram pushTime = seconds("pilot_xds_push_time", "Time to make and hand over a response.", "type");
    private final Histogram sendTime = seconds("pilot_xds_send_time", "Time to hand a response to the transport.");
    private final Histogram convergence =
            seconds("pilot_proxy_convergence_time", "Time from a change in the mesh to its response being sent.");
    private final Histogram queued =
            seconds("pilot_proxy_queue_time", "Time from a change in the mesh to the making of its response.");
    private final Histogram debounce =
            seconds("pilot_debounce_time", "Time that changes waited for others to be sent with them.");
    private final Histogram size = Histogram.builder()
            .name("pilot_xds_config_size_bytes")
            .help("Size of responses.")
            .labelNames("type")
            .classicOnly()
            .classicUpperBounds(BYTES)
            .register(registry);
    private final Counter rejects = counter("pilot_total_xds_rejects", "Responses that clients refused.", "type");
    private final Counter expired = counter("pilot_xds_expired_nonce", "Answers to older responses.", "type");
    private final Counter failures = counter("pilot_total_xds_internal_errors", "Streams that we failed.");
    private final Counter writeTimeouts = counter("pilot_xds_write_timeout", "Clients that took nothing for too long.");
    private final Counter updates = counter("pilot_inbound_updates", "Changed objects, by what they are.", "type");
    private final Counter registryEvents =
            counter("pilot_k8s_reg_events", "Changed Kubernetes objects.", "type", "event");
    private final Counter configEvents = counter("pilot_k8s_cfg_events", "Changed mesh objects.", "type", "event");
    private final Counter triggers = counter("pilot_push_triggers", "Changes of the mesh that had to be sent.", "type");
    private final Histogram settleTime =
            seconds("pilot_pushcontext_init_seconds", "Time to work out what follows from a batch of changed objects.");
    private final AtomicLong largestRequest = new AtomicLong();

    public ControlMetrics(BuildInfo build) {
        gauge("pilot_info", "Which build this is.", "version")
                .labelValues(build.text())
                .set(1);
        watch("pilot_xds_recv_max", "Largest request so far, in bytes.", largestRequest::doubleValue);
        JvmMetrics.register(this);
    }

    /// A value that is asked for when somebody looks.
    public void watch(String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsDouble()))
                .register(registry);
    }

    /// Values by their labels, asked for when somebody looks.
    public void watch(String name, String help, List<String> labels, Supplier<Map<List<String>, Integer>> values) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(labels.toArray(String[]::new))
                .callback(callback ->
                        values.get().forEach((own, value) -> callback.call(value, own.toArray(String[]::new))))
                .register(registry);
    }

    /// A batch was taken in and all that follows from it worked out.
    public void applied(Duration took) {
        settleTime.observe(took.toNanos() / NANOS);
    }

    /// Counts what a batch of manifests is about; to be called before the mesh takes it in.
    public void arrived(List<ManifestChange> batch, AmbientMesh mesh) {
        for (var change : batch) {
            var event = KubeEvent.of(change, mesh);
            (event.isConfig() ? configEvents : registryEvents)
                    .labelValues(event.kind(), event.action())
                    .inc();
            updates.labelValues(event.trigger()).inc();
        }
    }

    /// So many resources changed.
    public void triggered(XdsType type, int resources) {
        if (resources > 0) {
            triggers.labelValues(type.label()).inc();
        }
    }

    Page.Reply page() {
        return new Page.Reply.Text(200, MetricsText.CONTENT_TYPE, MetricsText.of(registry.scrape()));
    }

    @Override
    public void connected(ClientNode client) {
        clients.labelValues(client.version()).inc();
    }

    @Override
    public void disconnected(ClientNode client) {
        clients.labelValues(client.version()).dec();
    }

    @Override
    public void pushed(Push push) {
        var type = push.type().label();
        pushes.labelValues(type).inc();
        pushTime.labelValues(type).observe(push.made().plus(push.sent()).toNanos() / NANOS);
        sendTime.observe(push.sent().toNanos() / NANOS);
        push.delay().ifPresent(delay -> {
            queued.observe(delay.queued().toNanos() / NANOS);
            convergence.observe(delay.convergence().toNanos() / NANOS);
        });
        size.labelValues(type).observe(push.bytes());
    }

    @Override
    public void merged(Duration waited) {
        debounce.observe(waited.toNanos() / NANOS);
    }

    @Override
    public void refused(ClientNode client, XdsType type, String error) {
        rejects.labelValues(type.label()).inc();
    }

    @Override
    public void expiredNonce(XdsType type) {
        expired.labelValues(type.label()).inc();
    }

    @Override
    public void received(int bytes) {
        largestRequest.accumulateAndGet(bytes, Math::max);
    }

    @Override
    public void writeTimedOut(ClientNode client) {
        writeTimeouts.inc();
    }

    @Override
    public void failed(Throwable cause) {
        failures.inc();
    }

    private Gauge gauge(String name, String help, String... labels) {
        return Gauge.builder().name(name).help(help).labelNames(labels).register(registry);
    }

    /// A counter of some other part.
    Counter counter(String name, String help, String... labels) {
        return Counter.builder().name(name).help(help).labelNames(labels).register(registry);
    }

    private Histogram seconds(String name, String help, String... labels) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .classicOnly()
                .classicUpperBounds(SECONDS)
                .register(registry);
    }
}
