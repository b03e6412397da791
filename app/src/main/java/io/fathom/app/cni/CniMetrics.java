// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.app.http.MetricsText;
import io.fathom.app.http.Page;
import io.fathom.node.cni.audit.AuditObserver;
import io.fathom.node.cni.audit.PodCapture;
import io.fathom.node.cni.enrol.EnrolObserver;
import io.fathom.node.cni.install.InstallObserver;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleSupplier;

/// What the node agent counts: under upstream's names what upstream counts, the rest under ours. For any thread.
final class CniMetrics implements EnrolObserver, AuditObserver, InstallObserver {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Counter events =
            counter("nodeagent_reconcile_events_total", "Changes of pods that were looked at.", "type");
    private final Counter pluginRequests =
            counter("istio_cni_plugin_requests_total", "Requests of the plugin.", "response_code");
    private final Counter repairs =
            counter("istio_cni_repair_pods_repaired_total", "Pods put right by the audit.", "type", "result");
    private final Counter audits = counter("fathom_cni_audits_total", "Looks at all pods.");
    private final Gauge pods = Gauge.builder()
            .name("fathom_cni_pods")
            .help("Pods of the node by what the last audit found.")
            .labelNames("state")
            .register(registry);
    private final Gauge uncaptured = Gauge.builder()
            .name("fathom_cni_pods_uncaptured")
            .help("Pods that should be in the mesh and are not, at the last audit.")
            .register(registry);

    private final Counter installs =
            counter("istio_cni_installs_total", "Passes over the plugin's installation.", "result");
    private final Gauge installReady = Gauge.builder()
            .name("istio_cni_install_ready")
            .help("Whether the plugin is in place.")
            .register(registry);

    CniMetrics() {
        for (var event : Event.values()) {
            events.labelValues(word(event)); // there from the start, with zero
        }
    }

    /// A value that is asked for when somebody looks.
    void watch(String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsDouble()))
                .register(registry);
    }

    @Override
    public void saw(Event event) {
        events.labelValues(word(event)).inc();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    void pluginAnswered(int status) {
        pluginRequests.labelValues(Integer.toString(status)).inc();
    }

    @Override
    public void looked(Map<PodCapture.CaptureState, Integer> states) {
        audits.inc();
        states.forEach((state, count) -> pods.labelValues(word(state)).set(count));
        uncaptured.set(states.getOrDefault(PodCapture.CaptureState.BROKEN, 0));
    }

    @Override
    public void repaired(String what) {
        repairs.labelValues(what, "SUCCESS").inc();
    }

    @Override
    public void installed(InstallResult result) {
        installs.labelValues(result.name()).inc();
    }

    @Override
    public void ready() {
        installReady.set(1);
    }

    @Override
    public void notReady() {
        installReady.set(0);
    }

    Page page() {
        return _ -> new Page.Reply.Text(200, MetricsText.CONTENT_TYPE, MetricsText.of(registry.scrape()));
    }

    private Counter counter(String name, String help, String... labels) {
        return Counter.builder().name(name).help(help).labelNames(labels).register(registry);
    }
}
