// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.app.http.Page;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/// Whether Envoy may be sent traffic: it has been given clusters and listeners, its workers run, and nobody has told it
/// to fail its health check. Asks it each time. Any thread.
final class EnvoyReadiness implements Page {
    private static final String CLUSTERS = "cluster_manager.cds.update_success";
    private static final String LISTENERS = "listener_manager.lds.update_success";
    private static final String WORKERS = "listener_manager.workers_started";
    private static final String FILTER = "%5E(" + String.join("%7C", CLUSTERS, LISTENERS, WORKERS) + ")$";

    private static final String LIVE = "LIVE";

    private final EnvoyAdmin admin;
    private volatile boolean configured; // once it was, it stays
    private volatile boolean draining;

    EnvoyReadiness(EnvoyAdmin admin) {
        this.admin = admin;
    }

    /// From now on nothing new is wanted.
    void drain() {
        draining = true;
    }

    @Override
    public Reply reply(Query query) {
        return complaint().map(text -> Reply.text(503, text)).orElseGet(() -> Reply.text("ready"));
    }

    Optional<String> complaint() {
        if (draining) {
            return Optional.of("draining");
        }
        try {
            var missing = configured ? Optional.<String>empty() : missing(admin.stats(FILTER));
            if (missing.isPresent()) {
                return missing;
            }
            var state = admin.state(); // the gauge server.state follows it by some seconds
            configured = configured || state.equals(LIVE);
            return state.equals(LIVE) ? Optional.empty() : Optional.of("Envoy is not live: " + state);
        } catch (IOException e) {
            return Optional.of("Envoy does not answer: " + e.getMessage());
        }
    }

    static Optional<String> missing(Map<String, Long> stats) {
        var clusters = stats.getOrDefault(CLUSTERS, 0L);
        var listeners = stats.getOrDefault(LISTENERS, 0L);
        if (clusters == 0 || listeners == 0) {
            return Optional.of("config not received from the control plane: clusters " + received(clusters)
                    + ", listeners " + received(listeners));
        }
        return stats.getOrDefault(WORKERS, 0L) == 1
                ? Optional.empty()
                : Optional.of("the workers of Envoy have not started");
    }

    private static String received(long updates) {
        return updates > 0 ? "received" : "missing";
    }
}
