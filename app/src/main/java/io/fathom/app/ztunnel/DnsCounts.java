// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.model.mesh.Workload;
import io.fathom.node.dns.DnsObserver;
import io.fathom.node.telemetry.NodeMetrics;
import java.time.Duration;
import java.util.Locale;

/// Counts what DNS does.
record DnsCounts(NodeMetrics metrics) implements DnsObserver {
    @Override
    public void request(Labels labels) {
        metrics.dnsRequested(of(labels));
    }

    @Override
    public void forwarded(Labels labels, Duration took) {
        metrics.dnsForwarded(of(labels), took);
    }

    @Override
    public void forwardFailed(Labels labels, Duration took) {
        metrics.dnsForwarded(of(labels), took);
        metrics.dnsForwardFailed(of(labels));
    }

    private static NodeMetrics.DnsLabels of(Labels labels) {
        return new NodeMetrics.DnsLabels(
                labels.type(),
                labels.transport().name().toLowerCase(Locale.ROOT),
                labels.client().map(Workload::canonicalName).orElse("unknown"),
                labels.client().map(Workload::canonicalRevision).orElse("unknown"));
    }
}
