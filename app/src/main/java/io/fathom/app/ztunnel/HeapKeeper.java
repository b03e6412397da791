package io.fathom.app.ztunnel;

import io.fathom.base.lang.Timeline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Keeps the heap near the size of the mesh. The serial collector rather grows the heap than collects all of it, and
/// gives nothing back by itself: what a first sync leaves behind would stay for days. Here all of it is collected once
/// the mesh is known, when no pod waits yet; later in a quiet moment, or when by far the most of it must be garbage.
/// The
/// pause is some 5 ms for each MiB that is in use.
final class HeapKeeper implements AutoCloseable {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final long LARGE = 48L << 20;
    private static final long SLACK = 8L << 20;
    private static final long QUIET = 1L << 19;

    private final Timeline timeline;
    private Timeline.@Nullable Appointment next;
    private long live;
    private long before;
    private boolean closed;

    HeapKeeper(Timeline timeline) {
        this.timeline = timeline;
    }

    /// The mesh is known, and nothing is served yet.
    void begin() {
        if (used() > LARGE) {
            collect();
        }
        schedule();
    }

    private synchronized void schedule() {
        if (!closed) {
            next = timeline.at(timeline.instant().plus(PERIOD), this::check);
        }
    }

    private void check() {
        var used = used();
        var quiet = Math.abs(used - before) < QUIET;
        before = used;
        if (quiet ? used > live + live / 4 + SLACK : used > 3 * live + 2 * LARGE) {
            collect();
        }
        schedule();
    }

    private void collect() {
        System.gc();
        live = used();
        before = live;
    }

    private static long used() {
        var runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (next != null) {
            next.close();
        }
    }
}
