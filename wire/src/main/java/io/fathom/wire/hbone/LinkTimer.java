// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.hbone;

import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Everything of a connection that depends on time: asks a quiet peer for a sign of life, and gives its role a
/// turn. One appointment at a time, which is moved only when something is due earlier: reading and writing never
/// touch it. On the event loop of its connection.
final class LinkTimer implements Runnable {
    private static final long SIGN_OF_LIFE = 0x6661_7468_6f6dL;

    private final Http2Link link;
    private final long quietNanos;
    private final long signNanos;
    private long heardAt;
    private long askedAt;
    private boolean asked;
    private @Nullable Future<?> appointment;
    private long appointmentAt;
    private boolean stopped;

    LinkTimer(Http2Link link, HboneLimits.Times times) {
        this.link = link;
        this.quietNanos = times.quiet().toNanos();
        this.signNanos = times.sign().toNanos();
    }

    void start() {
        heardAt = System.nanoTime();
        atLatest(heardAt + quietNanos);
    }

    void heard() {
        heardAt = System.nanoTime();
    }

    /// The next turn is not later than this.
    void atLatest(long due) {
        if (stopped || (appointment != null && appointmentAt - due <= 0)) {
            return;
        }
        if (appointment != null) {
            var _ = appointment.cancel(false);
        }
        appointmentAt = due;
        appointment = link.loop().schedule(this, Math.max(0, due - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    @Override
    public void run() {
        appointment = null;
        if (stopped) {
            return;
        }
        var now = System.nanoTime();
        var due = signOfLife(now);
        var role = link.tick(now);
        if (!stopped) {
            atLatest(role - due < 0 ? role : due);
        }
    }

    private long signOfLife(long now) {
        if (asked && heardAt - askedAt < 0) {
            if (now - askedAt >= signNanos) {
                link.peerGone();
            }
            return askedAt + signNanos;
        }
        asked = now - heardAt >= quietNanos;
        if (!asked) {
            return heardAt + quietNanos;
        }
        askedAt = now;
        link.output().ping(SIGN_OF_LIFE);
        link.flushSoon();
        return now + signNanos;
    }

    void stop() {
        stopped = true;
        if (appointment != null) {
            var _ = appointment.cancel(false);
            appointment = null;
        }
    }
}
