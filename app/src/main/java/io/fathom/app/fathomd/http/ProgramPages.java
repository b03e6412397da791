// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.app.BuildInfo;
import io.fathom.app.http.Page;
import io.fathom.app.http.Pages;
import java.util.function.BooleanSupplier;

/// The pages about the program itself, open to whoever reaches the port.
public final class ProgramPages {
    private final BuildInfo build;
    private final ControlMetrics metrics;
    private final BooleanSupplier ready;

    public ProgramPages(BuildInfo build, ControlMetrics metrics, BooleanSupplier ready) {
        this.build = build;
        this.metrics = metrics;
        this.ready = ready;
    }

    public void addTo(Pages pages) {
        pages.probe("/ready", "200 once the manifests have been read", _ -> ready())
                .open("/version", "Which build this is", _ -> Page.Reply.text(build.text()))
                .open("/metrics", "Metrics for Prometheus", _ -> metrics.page());
    }

    private Page.Reply ready() {
        return ready.getAsBoolean()
                ? Page.Reply.text("ready")
                : Page.Reply.text(503, "not ready: manifests are still being read, or fathomd is stopping");
    }
}
