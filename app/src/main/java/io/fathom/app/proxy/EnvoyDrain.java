// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.proxy;

import io.fathom.app.proxy.ProxyConfig.Drain;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets connections end before Envoy does: it is told to take no new ones and to ask clients to leave; then some time
/// passes, or all that are needed.
final class EnvoyDrain {
    private static final Logger log = LoggerFactory.getLogger(EnvoyDrain.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final String ACTIVE = "downstream_cx_active";
    private static final String INTERNAL = "listener.envoy_internal_"; // between two listeners of Envoy itself

    private final EnvoyAdmin admin;
    private final Drain drain;
    private final InstantSource clock;

    EnvoyDrain(EnvoyAdmin admin, Drain drain, InstantSource clock) {
        this.admin = admin;
        this.drain = drain;
        this.clock = clock;
    }

    /// Tells Envoy; does not wait.
    void begin() {
        try {
            admin.post("/drain_listeners?graceful&skip_exit");
        } catch (IOException e) {
            log.atWarn().addKeyValue("reason", e.getMessage()).log("Envoy could not be told to drain");
        }
    }

    /// Waits as long as agreed.
    ///
    /// @param cut ends the waiting: Envoy is gone
    void await(CountDownLatch cut) throws InterruptedException {
        switch (drain) {
            case Drain.After after -> {
                log.atInfo().addKeyValue("time", after.time()).log("draining");
                var _ = cut.await(after.time().toMillis(), TimeUnit.MILLISECONDS);
            }
            case Drain.WhenIdle idle -> {
                log.atInfo().addKeyValue("least", idle.least()).log("draining until the last connection has ended");
                awaitIdle(clock.instant().plus(idle.least()), cut);
            }
        }
    }

    private void awaitIdle(Instant soonest, CountDownLatch cut) throws InterruptedException {
        while (!cut.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
            if (clock.instant().isBefore(soonest)) {
                continue;
            }
            try {
                var left = active(admin.stats(ACTIVE + "$"));
                if (left == 0) {
                    return;
                }
                log.atDebug().addKeyValue("connections", left).log("draining");
            } catch (IOException e) {
                log.atWarn().addKeyValue("reason", e.getMessage()).log("Envoy cannot be asked for its connections");
                return;
            }
        }
    }

    /// Connections from outside; those of the admin port are our own.
    static long active(Map<String, Long> stats) {
        return stats.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("listener."))
                .filter(entry -> entry.getKey().endsWith("." + ACTIVE))
                .filter(entry -> !entry.getKey().startsWith(INTERNAL))
                .filter(entry -> !entry.getKey().startsWith("listener.admin."))
                .filter(entry -> !entry.getKey().contains(".worker_"))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
