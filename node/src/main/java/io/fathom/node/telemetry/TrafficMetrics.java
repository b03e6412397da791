// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/// The traffic counters. A connection looks its series up once; after that counting is one addition. At most so many
/// series as told are kept apart: all others count together as unknown.
final class TrafficMetrics {
    private final int limit;
    private final ConcurrentHashMap<TrafficLabels, TrafficSeries> series = new ConcurrentHashMap<>();

    TrafficMetrics(int limit) {
        this.limit = limit;
    }

    TrafficSeries series(TrafficLabels labels) {
        var known = series.get(labels);
        if (known != null) {
            return known;
        }
        var kept = series.mappingCount() < limit ? labels : TrafficLabels.other(labels.reporter(), labels.flag());
        return series.computeIfAbsent(kept, wanted -> new TrafficSeries(wanted.text()));
    }

    void write(OpenMetrics out) {
        family(out, "connections_opened", "The total number of TCP connections opened", each -> each.opened);
        family(out, "connections_closed", "The total number of TCP connections closed", each -> each.closed);
        family(out, "connections_failed", "The total number of TCP connections not established", each -> each.failed);
        family(out, "received_bytes", "The size of total bytes received in requests", each -> each.received);
        family(out, "sent_bytes", "The size of total bytes sent in responses", each -> each.sent);
    }

    private void family(OpenMetrics out, String name, String help, Function<TrafficSeries, LongAdder> counter) {
        out.family("istio_tcp_" + name, help, OpenMetrics.MetricType.COUNTER);
        for (var each : series.values()) {
            var value = counter.apply(each).sum();
            if (value != 0) {
                out.sample("istio_tcp_" + name + "_total", each.labels, value);
            }
        }
    }
}
