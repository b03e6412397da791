// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.stream;

import io.fathom.wire.xds.store.View;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// Lets the first addresses on a stream wait a moment for a subscription to policies, which then go first. Clients that
/// want both ask for both at once.
final class AddressHold {
    private final InstantSource clock;
    private final Duration wait;
    private boolean policiesKnown;
    private Optional<Instant> until = Optional.empty();

    AddressHold(InstantSource clock, Duration wait) {
        this.clock = clock;
        this.wait = wait;
    }

    void subscribed(View view) {
        if (view == View.AUTHORIZATION) {
            policiesKnown = true;
            until = Optional.empty();
        } else if (view.showsAddresses() && !policiesKnown) {
            until = Optional.of(clock.instant().plus(wait));
        }
    }

    boolean isOver() {
        if (until.isPresent() && clock.instant().isBefore(until.get())) {
            return false;
        }
        until = Optional.empty();
        return true;
    }

    Optional<Instant> until() {
        return until;
    }
}
