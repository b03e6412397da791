// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import java.util.Optional;

/// One connection as it is counted, on its event loop only. Its series is looked up once.
public final class ConnectionReport {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Telemetry telemetry;
    private final ConnectionFacts facts;
    private final TrafficSeries series;
    private final long startNanos;
    private long fromClient;
    private long fromServer;
    private boolean established;
    private boolean ended;

    ConnectionReport(Telemetry telemetry, ConnectionFacts facts, long startNanos) {
        this.telemetry = telemetry;
        this.facts = facts;
        this.startNanos = startNanos;
        this.series = telemetry.metrics().traffic().series(facts.labels(ResponseFlag.NONE));
        series.opened.increment();
    }

    public ConnectionFacts facts() {
        return facts;
    }

    /// From here on it did not fail to be established.
    public void established() {
        established = true;
    }

    /// Nobody knows whether its peer will be revoked.
    public void untracked() {
        telemetry.metrics().untracked(facts.reporter());
    }

    public void fromClient(int bytes) {
        fromClient += bytes;
        series.received.add(bytes);
    }

    public void fromServer(int bytes) {
        fromServer += bytes;
        series.sent.add(bytes);
    }

    /// It ended as it should.
    public void end() {
        end(ResponseFlag.NONE, Optional.empty());
    }

    /// It ended otherwise. Only the first end counts.
    public void end(ResponseFlag flag, String error) {
        end(flag, Optional.of(error));
    }

    private void end(ResponseFlag flag, Optional<String> error) {
        if (ended) {
            return;
        }
        ended = true;
        var last = flag == ResponseFlag.NONE
                ? series
                : telemetry.metrics().traffic().series(facts.labels(flag));
        last.closed.increment();
        if (flag == ResponseFlag.CERT_REVOKED) {
            telemetry.metrics().revoked(facts.reporter());
        }
        if (error.isPresent() && !established) {
            last.failed.increment();
        }
        var outbound = facts.reporter() == Reporter.SOURCE;
        telemetry.complete(
                facts,
                outbound ? fromClient : fromServer,
                outbound ? fromServer : fromClient,
                (System.nanoTime() - startNanos) / NANOS_PER_MILLI,
                error);
    }
}
