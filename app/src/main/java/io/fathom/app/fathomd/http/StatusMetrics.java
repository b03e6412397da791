// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.control.status.ElectionLock;
import io.fathom.control.status.WriteObserver;
import io.prometheus.metrics.core.metrics.Counter;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/// What is written back into the cluster, and whether we are the one who does.
public final class StatusMetrics implements WriteObserver {
    private final ControlMetrics metrics;
    private final Counter looks;

    public StatusMetrics(ControlMetrics metrics) {
        this.metrics = metrics;
        this.looks = metrics.counter(
                "fathom_status_looks", "Objects whose status was compared, by what came of it.", "kind", "outcome");
    }

    /// Whether we hold a lock: 1 or 0.
    public void leads(ElectionLock lock, BooleanSupplier leads) {
        var name = lock.name().toLowerCase(Locale.ROOT);
        metrics.watch(
                "fathom_leads_" + name,
                "Whether this control plane is the one that leads.",
                () -> leads.getAsBoolean() ? 1 : 0);
    }

    @Override
    public void looked(String kind, WriteResult outcome) {
        looks.labelValues(kind, outcome.name().toLowerCase(Locale.ROOT)).inc();
    }
}
