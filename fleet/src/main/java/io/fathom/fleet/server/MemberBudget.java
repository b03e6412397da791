// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.model.fleet.FleetUp;
import java.time.Duration;
import java.time.Instant;

/// How much work one cluster may make for the server, over all of its streams: as much as saying everything at once,
/// and then so much per second. Who has used it up has to wait, and so does what it sends: nothing of it is lost.
/// Guarded by this.
final class MemberBudget {
    static final int OPENING = 100;
    private static final int MOST = 60_000;
    private static final int PER_SECOND = 2_000;
    private static final Duration NAMED_EVERY = Duration.ofSeconds(10);

    private double left = MOST;
    private Instant at;
    private Instant named = Instant.MIN;
    private Duration waited = Duration.ZERO;

    MemberBudget(Instant now) {
        this.at = now;
    }

    /// About how many services are touched.
    static int cost(FleetUp message) {
        return switch (message) {
            case FleetUp.Hello hello -> 200 + hello.cursor().size();
            case FleetUp.Gateways gateways -> 100 * Math.max(1, gateways.facts().size());
            case FleetUp.Services services ->
                1 + services.changed().size() + services.removed().size();
            case FleetUp.Weights weights -> 1 + weights.weights().size() / 4;
            case FleetUp.ExportsEnd _ -> 20;
            case FleetUp.Interested _ -> 500;
            case FleetUp.Digest _ -> 20;
            case FleetUp.Reach reach ->
                1 + reach.changed().size() + reach.gone().size();
            case FleetUp.Repair repair -> 20 + 20 * repair.origins().size();
        };
    }

    /// How long to wait after work of that size.
    synchronized Duration spend(int cost, Instant now) {
        fill(now);
        left -= cost;
        var wait = left >= 0 ? Duration.ZERO : Duration.ofMillis((long) (-left * 1000 / PER_SECOND));
        waited = waited.plus(wait);
        return wait;
    }

    synchronized boolean isUsedUp(Instant now) {
        fill(now);
        return left < 0;
    }

    private void fill(Instant now) {
        left = Math.min(MOST, left + Duration.between(at, now).toMillis() * PER_SECOND / 1000.0);
        at = now;
    }

    /// Whether to tell of it now; not each time.
    synchronized boolean isToBeNamed(Instant now) {
        if (now.isBefore(named.plus(NAMED_EVERY))) {
            return false;
        }
        named = now;
        return true;
    }

    /// For how long it had to wait in all.
    synchronized Duration waited() {
        return waited;
    }
}
