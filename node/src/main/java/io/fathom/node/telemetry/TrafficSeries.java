// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import java.util.concurrent.atomic.LongAdder;

/// The counters of connections with equal labels.
final class TrafficSeries {
    final String labels;
    final LongAdder opened = new LongAdder();
    final LongAdder closed = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder received = new LongAdder();
    final LongAdder sent = new LongAdder();

    TrafficSeries(String labels) {
        this.labels = labels;
    }
}
