// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// A clock that tests move by hand.
public final class ManualClock implements InstantSource {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @Override
    public Instant instant() {
        return now;
    }

    public void advance(Duration duration) {
        now = now.plus(duration);
    }
}
