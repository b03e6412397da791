// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/// The room in the [SendBudget] that one stream has for a large response: none, in the queue for it, or held. Held room
/// that is not given back in time is taken back, so that a client that does not read keeps none from others.
///
/// Thread-safe.
final class Lease {
    private static final int NONE = 0;
    private static final int QUEUED = -1;

    private final SendBudget budget;
    private final Consumer<Runnable> timeout;
    private final Runnable granted;
    private final AtomicInteger bytes = new AtomicInteger(NONE);
    private volatile boolean ended;

    /// @param timeout runs what it is given when a lease has lasted too long
    /// @param granted is called when room was found after a wait; must not block
    Lease(SendBudget budget, Consumer<Runnable> timeout, Runnable granted) {
        this.budget = budget;
        this.timeout = timeout;
        this.granted = granted;
    }

    boolean isQueued() {
        return bytes.get() == QUEUED;
    }

    boolean isHeld() {
        return bytes.get() > 0;
    }

    /// True when there is room now; else it will be granted.
    boolean borrow(int wanted) {
        bytes.set(QUEUED);
        var now = budget.acquire(wanted, () -> grant(wanted));
        if (now) {
            hold(wanted);
        }
        return now;
    }

    private void grant(int wanted) {
        hold(wanted);
        if (ended) {
            giveBack();
        } else {
            granted.run();
        }
    }

    private void hold(int wanted) {
        bytes.set(wanted);
        timeout.accept(this::giveBack);
    }

    void giveBack() {
        var held = bytes.get();
        if (held > 0 && bytes.compareAndSet(held, NONE)) {
            budget.release(held);
        }
    }

    /// The stream is gone; what is granted later is given back at once.
    void end() {
        ended = true;
        giveBack();
    }
}
