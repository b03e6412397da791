// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counters that differ in their labels. At most [#LIMIT] are kept apart: labels that clients choose cannot fill the
/// memory.
final class CounterFamily {
    private static final int LIMIT = 10_000;

    private final String name;
    private final String help;
    private final List<String> labels;
    private final ConcurrentHashMap<List<String>, LongAdder> counters = new ConcurrentHashMap<>();

    /// Takes the name without `_total`.
    CounterFamily(String name, String help, String... labels) {
        this.name = name;
        this.help = help;
        this.labels = List.of(labels);
    }

    void add(long count, String... values) {
        var key = List.of(values);
        var counter = counters.get(key);
        if (counter == null) {
            var kept = counters.mappingCount() < LIMIT
                    ? key
                    : labels.stream().map(label -> "unknown").toList();
            counter = counters.computeIfAbsent(kept, fresh -> new LongAdder());
        }
        counter.add(count);
    }

    void write(OpenMetrics out) {
        out.family(name, help, OpenMetrics.MetricType.COUNTER);
        counters.forEach((values, counter) -> out.sample(name + "_total", text(labels, values), counter.sum()));
        if (labels.isEmpty() && counters.isEmpty()) {
            out.sample(name + "_total", "", 0);
        }
    }

    static String text(List<String> labels, List<String> values) {
        var text = new LabelText();
        for (int i = 0; i < labels.size(); i++) {
            text.known(labels.get(i), values.get(i));
        }
        return text.toString();
    }
}
