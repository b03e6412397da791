// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.http;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

/// Prometheus' text format. The client library's own writer gives every counter the suffix `_total`, but upstream's
/// counters, and so its dashboards, have none: here a metric is called what it was registered as. Pure.
public final class MetricsText {
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final StringBuilder out = new StringBuilder();

    private MetricsText() {}

    public static String of(MetricSnapshots metrics) {
        var text = new MetricsText();
        metrics.forEach(text::metric);
        return text.out.toString();
    }

    private void metric(MetricSnapshot metric) {
        var name = metric.getMetadata().getOriginalName();
        switch (metric) {
            case CounterSnapshot counter -> {
                head(counter, name, "counter");
                counter.getDataPoints().forEach(point -> line(name, point.getLabels(), "", point.getValue()));
            }
            case GaugeSnapshot gauge -> {
                head(gauge, name, "gauge");
                gauge.getDataPoints().forEach(point -> line(name, point.getLabels(), "", point.getValue()));
            }
            case HistogramSnapshot histogram -> {
                head(histogram, name, "histogram");
                histogram.getDataPoints().forEach(point -> histogram(name, point));
            }
            default -> throw new IllegalStateException("no text for a metric of " + metric.getClass());
        }
    }

    private void histogram(String name, HistogramSnapshot.HistogramDataPointSnapshot point) {
        var seen = 0L;
        for (var bucket : point.getClassicBuckets()) {
            seen += bucket.getCount();
            line(name + "_bucket", point.getLabels(), "le=\"" + number(bucket.getUpperBound()) + "\"", (double) seen);
        }
        line(name + "_sum", point.getLabels(), "", point.getSum());
        line(name + "_count", point.getLabels(), "", (double) seen);
    }

    private void head(MetricSnapshot metric, String name, String type) {
        var help = metric.getMetadata().getHelp();
        if (help != null) {
            out.append("# HELP ").append(name).append(' ');
            out.append(help.replace("\\", "\\\\").replace("\n", "\\n")).append('\n');
        }
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private void line(String name, Labels labels, String last, double value) {
        out.append(name);
        if (!labels.isEmpty() || !last.isEmpty()) {
            out.append('{');
            for (int i = 0; i < labels.size(); i++) {
                out.append(labels.getPrometheusName(i)).append("=\"");
                out.append(escaped(labels.getValue(i))).append("\",");
            }
            if (last.isEmpty()) {
                out.setLength(out.length() - 1);
            }
            out.append(last).append('}');
        }
        out.append(' ').append(number(value)).append('\n');
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    private static String number(double value) {
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
