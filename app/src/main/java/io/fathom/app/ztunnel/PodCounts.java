// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.node.inpod.PodObserver;
import io.fathom.node.telemetry.NodeMetrics;
import java.util.concurrent.atomic.AtomicInteger;

/// Counts pods, and knows whether all of them are served.
final class PodCounts implements PodObserver {
    private final NodeMetrics metrics;
    private final io.fathom.app.ztunnel.Readiness readiness;
    private final String task;
    private final AtomicInteger active = new AtomicInteger();
    private final AtomicInteger pending = new AtomicInteger();

    PodCounts(NodeMetrics metrics, io.fathom.app.ztunnel.Readiness readiness, String task) {
        this.metrics = metrics;
        this.readiness = readiness;
        this.task = task;
        metrics.pods(active::get, pending::get);
    }

    @Override
    public void proxyStarted() {
        metrics.podStarted();
    }

    @Override
    public void proxyStopped() {
        metrics.podStopped();
    }

    @Override
    public void counted(int nowActive, int nowPending) {
        active.set(nowActive);
        pending.set(nowPending);
    }

    @Override
    public void ready(PodObserver.PodReadiness now) {
        switch (now) {
            case READY -> readiness.done(task);
            case NOT_READY -> readiness.await(task);
        }
    }
}
