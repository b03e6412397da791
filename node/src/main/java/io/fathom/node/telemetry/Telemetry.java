// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import io.fathom.model.mesh.IpPort;
import java.time.InstantSource;
import java.util.Optional;

/// Where connections are reported: each ends in one line of the access log and in the traffic metrics.
public final class Telemetry {
    private final NodeMetrics metrics;
    private final AccessLog log;
    private final InstantSource clock;

    public Telemetry(NodeMetrics metrics, AccessLog log, InstantSource clock) {
        this.metrics = metrics;
        this.log = log;
        this.clock = clock;
    }

    public NodeMetrics metrics() {
        return metrics;
    }

    /// Begins a connection whose two ends are known. It must be ended.
    ///
    /// @param startNanos when the client came, as `System.nanoTime()`
    public ConnectionReport open(ConnectionFacts facts, long startNanos) {
        var report = new ConnectionReport(this, facts, startNanos);
        if (log.logsOpened()) {
            log.log(new AccessEntry.Opened(clock.instant(), facts));
        }
        return report;
    }

    /// Something that was turned away before it could count as traffic.
    public void turnedAway(Reporter reporter, IpPort source, Optional<IpPort> destination, String error) {
        log.log(new AccessEntry.Failed(clock.instant(), reporter, source, destination, error));
    }

    void complete(ConnectionFacts facts, long sent, long received, long millis, Optional<String> error) {
        log.log(new AccessEntry.Complete(clock.instant(), facts, sent, received, millis, error));
    }
}
