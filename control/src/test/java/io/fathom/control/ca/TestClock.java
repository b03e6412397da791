// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// Time that moves only by hand.
final class TestClock implements InstantSource {
    private volatile Instant now = Instant.parse("2026-11-15T12:00:00Z");

    @Override
    public Instant instant() {
        return now;
    }

    synchronized void advance(Duration by) {
        now = now.plus(by);
    }
}
