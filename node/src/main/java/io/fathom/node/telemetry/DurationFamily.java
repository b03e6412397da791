// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// How long something took, in buckets, by labels.
final class DurationFamily {
    private final String name;
    private final String help;
    private final double[] bounds;
    private final List<String> labels;
    private final ConcurrentHashMap<List<String>, Buckets> histograms = new ConcurrentHashMap<>();

    DurationFamily(String name, String help, double[] bounds, String... labels) {
        this.name = name;
        this.help = help;
        this.bounds = bounds.clone();
        this.labels = List.of(labels);
    }

    private static final class Buckets {
        final LongAdder[] counts;
        final LongAdder nanos = new LongAdder();

        Buckets(int size) {
            counts = new LongAdder[size];
            for (int i = 0; i < size; i++) {
                counts[i] = new LongAdder();
            }
        }
    }

    void add(Duration took, String... values) {
        var buckets = histograms.computeIfAbsent(List.of(values), fresh -> new Buckets(bounds.length + 1));
        var seconds = took.toNanos() / 1e9;
        var at = 0;
        while (at < bounds.length && seconds > bounds[at]) {
            at++;
        }
        buckets.counts[at].increment();
        buckets.nanos.add(took.toNanos());
    }

    void write(OpenMetrics out) {
        out.family(name, help, OpenMetrics.MetricType.HISTOGRAM);
        histograms.forEach((values, buckets) -> {
            var text = CounterFamily.text(labels, values);
            var total = 0L;
            for (int i = 0; i <= bounds.length; i++) {
                total += buckets.counts[i].sum();
                var bound = i < bounds.length ? Double.toString(bounds[i]) : "+Inf";
                out.sample(name + "_bucket", text + (text.isEmpty() ? "" : ",") + "le=\"" + bound + "\"", total);
            }
            out.sample(name + "_sum", text, buckets.nanos.sum() / 1e9);
            out.sample(name + "_count", text, total);
        });
    }
}
