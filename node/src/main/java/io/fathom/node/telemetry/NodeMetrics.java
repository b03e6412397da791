// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// Everything a node proxy counts, under upstream's names. Counting is safe on any thread and takes no lock.
public final class NodeMetrics {
    private static final int TRAFFIC_SERIES = 20_000;
    private static final String[] DNS_LABELS = {
        "request_query_type", "request_protocol", "source_canonical_service", "source_canonical_revision"
    };

    private final TrafficMetrics traffic = new TrafficMetrics(TRAFFIC_SERIES);
    private final Map<Reporter, LongAdder> sockets =
            Map.of(Reporter.SOURCE, new LongAdder(), Reporter.DESTINATION, new LongAdder());
    private final CounterFamily onDemandDns = new CounterFamily(
            "istio_on_demand_dns",
            "The total number of names resolved for a connection",
            "source_workload",
            "source_canonical_service",
            "source_canonical_revision",
            "source_workload_namespace",
            "source_principal",
            "source_app",
            "source_version",
            "source_cluster",
            "hostname");
    private final CounterFamily crlRejections = new CounterFamily(
            "istio_crl_policy_rejections", "Connections refused or cut for a revoked certificate", "reporter");
    private final CounterFamily crlUntracked = new CounterFamily(
            "istio_crl_untracked_connections",
            "Connections over TLS that a later revocation cannot cut, as the peer's chain is not known",
            "reporter");
    private final CounterFamily dnsRequests =
            new CounterFamily("istio_dns_requests", "Total number of DNS requests", DNS_LABELS);
    private final CounterFamily dnsForwarded =
            new CounterFamily("istio_dns_upstream_requests", "Total number of DNS requests forwarded", DNS_LABELS);
    private final CounterFamily dnsFailures =
            new CounterFamily("istio_dns_upstream_failures", "DNS requests forwarded in vain", DNS_LABELS);
    private final DurationFamily dnsDurations = new DurationFamily(
            "istio_dns_upstream_request_duration_seconds",
            "How long forwarded DNS requests took",
            new double[] {0.0005, 0.001, 0.01, 0.1, 1, 5},
            DNS_LABELS);
    private final CounterFamily xdsTerminations = new CounterFamily(
            "istio_xds_connection_terminations", "Completed connections to the control plane", "reason");
    private final CounterFamily xdsMessages =
            new CounterFamily("istio_xds_message", "Messages received from the control plane", "url");
    private final CounterFamily xdsBytes =
            new CounterFamily("istio_xds_message_bytes", "Bytes received from the control plane", "url");
    private final CounterFamily podsStarted =
            new CounterFamily("workload_manager_proxies_started", "The total number of pod proxies started");
    private final CounterFamily podsStopped =
            new CounterFamily("workload_manager_proxies_stopped", "The total number of pod proxies stopped");
    private final ConcurrentHashMap<String, Gauge> gauges = new ConcurrentHashMap<>();

    private record Gauge(String help, String labels, LongSupplier value) {}

    /// The proxy's version as a label.
    public NodeMetrics(String build) {
        gauge(
                "istio_build",
                "Istio component build info",
                new LabelText().with("component", "ztunnel").with("tag", build).toString(),
                () -> 1);
    }

    TrafficMetrics traffic() {
        return traffic;
    }

    private LongAdder sockets(Reporter reporter) {
        return Objects.requireNonNull(sockets.get(reporter));
    }

    public void socketOpened(Reporter reporter) {
        sockets(reporter).increment();
    }

    public void socketClosed(Reporter reporter) {
        sockets(reporter).decrement();
    }

    public void nameResolved(Party source, String hostname) {
        onDemandDns.add(
                1,
                source.workload(),
                source.canonicalName(),
                source.canonicalRevision(),
                source.namespace(),
                source.identity().map(identity -> identity.uri()).orElse(""),
                source.canonicalName(),
                source.canonicalRevision(),
                source.cluster(),
                hostname);
    }

    public void revoked(Reporter reporter) {
        crlRejections.add(1, reporter.label());
    }

    public void untracked(Reporter reporter) {
        crlUntracked.add(1, reporter.label());
    }

    /// What a DNS request is counted under.
    public record DnsLabels(String queryType, String protocol, String canonicalService, String canonicalRevision) {
        private String[] values() {
            return new String[] {queryType, protocol, canonicalService, canonicalRevision};
        }
    }

    public void dnsRequested(DnsLabels labels) {
        dnsRequests.add(1, labels.values());
    }

    public void dnsForwarded(DnsLabels labels, Duration took) {
        dnsForwarded.add(1, labels.values());
        dnsDurations.add(took, labels.values());
    }

    public void dnsForwardFailed(DnsLabels labels) {
        dnsFailures.add(1, labels.values());
    }

    /// How a stream to the control plane ended.
    public enum XdsEnd {
        CONNECTION_ERROR("ConnectionError"),
        ERROR("Error"),
        RECONNECT("Reconnect"),
        COMPLETE("Complete");

        private final String label;

        XdsEnd(String label) {
            this.label = label;
        }
    }

    public void xdsEnded(XdsEnd reason) {
        xdsTerminations.add(1, reason.label);
    }

    public void xdsReceived(String typeUrl, long bytes) {
        xdsMessages.add(1, typeUrl);
        xdsBytes.add(bytes, typeUrl);
    }

    public void podStarted() {
        podsStarted.add(1);
    }

    public void podStopped() {
        podsStopped.add(1);
    }

    /// How many pods are served, and how many wait to be.
    public void pods(LongSupplier active, LongSupplier pending) {
        gauge("workload_manager_active_proxy_count", "The number of pod proxies running", "", active);
        gauge("workload_manager_pending_proxy_count", "The number of pod proxies that wait to start", "", pending);
    }

    /// Any other value that is read when somebody looks.
    public void gauge(String name, String help, String labels, LongSupplier value) {
        gauges.put(name, new Gauge(help, labels, value));
    }

    /// All of it as OpenMetrics text.
    public String openMetrics() {
        var out = new OpenMetrics();
        traffic.write(out);
        out.family("istio_tcp_sockets_open", "The current number of open TCP sockets", OpenMetrics.MetricType.GAUGE);
        for (var reporter : Reporter.values()) {
            var labels = new LabelText().with("reporter", reporter.label()).toString();
            out.sample("istio_tcp_sockets_open", labels, sockets(reporter).sum());
        }
        onDemandDns.write(out);
        crlRejections.write(out);
        crlUntracked.write(out);
        dnsRequests.write(out);
        dnsForwarded.write(out);
        dnsFailures.write(out);
        dnsDurations.write(out);
        xdsTerminations.write(out);
        xdsMessages.write(out);
        xdsBytes.write(out);
        podsStarted.write(out);
        podsStopped.write(out);
        gauges.forEach((name, gauge) -> {
            out.family(name, gauge.help, OpenMetrics.MetricType.GAUGE);
            out.sample(name, gauge.labels, gauge.value.getAsLong());
        });
        return out.finish();
    }
}
