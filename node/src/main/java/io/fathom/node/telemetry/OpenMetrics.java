// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

/// Writes metrics as OpenMetrics text.
final class OpenMetrics {
    /// What a family holds.
    enum MetricType {
        COUNTER("counter"),
        GAUGE("gauge"),
        HISTOGRAM("histogram");

        private final String word;

        MetricType(String word) {
            this.word = word;
        }
    }

    private final StringBuilder text = new StringBuilder(16 * 1024);

    void family(String name, String help, MetricType kind) {
        text.append("# HELP ").append(name).append(' ').append(help).append(".\n");
        text.append("# TYPE ").append(name).append(' ').append(kind.word).append('\n');
    }

    void sample(String name, String labels, long value) {
        begin(name, labels).append(value).append('\n');
    }

    void sample(String name, String labels, double value) {
        begin(name, labels).append(value).append('\n');
    }

    private StringBuilder begin(String name, String labels) {
        text.append(name);
        if (!labels.isEmpty()) {
            text.append('{').append(labels).append('}');
        }
        return text.append(' ');
    }

    /// The whole text with its end mark.
    String finish() {
        return text.append("# EOF\n").toString();
    }
}
