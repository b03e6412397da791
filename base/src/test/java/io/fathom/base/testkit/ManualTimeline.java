// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.testkit;

import io.fathom.base.lang.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// A time that stands still until a test moves it. What becomes due runs on the thread that moves the time, in order,
/// with the time standing at what was agreed. Appointments may be made on any thread.
public final class ManualTimeline implements Timeline {
    private final List<Entry> entries = new ArrayList<>();
    private Instant now;
    private long made;

    public ManualTimeline(Instant now) {
        this.now = now;
    }

    @Override
    public synchronized Instant instant() {
        return now;
    }

    @Override
    public synchronized Appointment at(Instant time, Runnable task) {
        var entry = new Entry(made++, time, task);
        entries.add(entry);
        return () -> forget(entry);
    }

    public void advance(Duration step) {
        advanceTo(instant().plus(step));
    }

    public void advanceTo(Instant target) {
        for (var due = next(target); due.isPresent(); due = next(target)) {
            due.get().task().run();
        }
        setTime(target);
    }

    /// Runs what is due already, without moving the time.
    public void settle() {
        advance(Duration.ZERO);
    }

    /// When the next thing happens; empty if nothing is planned.
    public synchronized Optional<Instant> nextAppointment() {
        return entries.stream().map(Entry::time).min(Comparator.naturalOrder());
    }

    private synchronized Optional<Entry> next(Instant target) {
        var due = entries.stream()
                .filter(entry -> !entry.time().isAfter(target))
                .min(Comparator.comparing(Entry::time).thenComparingLong(Entry::number));
        due.ifPresent(entry -> {
            forget(entry);
            setTime(entry.time());
        });
        return due;
    }

    private synchronized void setTime(Instant time) {
        if (time.isAfter(now)) {
            now = time;
        }
    }

    private synchronized void forget(Entry entry) {
        entries.removeIf(candidate -> candidate.number() == entry.number());
    }

    private record Entry(long number, Instant time, Runnable task) {}
}
