// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.memory;

import io.fathom.base.lang.Timeline;
import io.fathom.base.posix.FilePages;
import io.fathom.base.posix.PosixException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a process near the size of what it knows. The serial collector rather grows the heap than collects all of it,
/// and gives nothing back by itself: what a first sync leaves behind would stay for days. Here all of it is collected
/// when the program begins to serve; later in a quiet moment, or when by far the most of it must be garbage. The pause
/// is some 5 ms for each MiB that is in use. In the first calm half minute, pages of code and classes that only the
/// start needed go back, too ([FilePages]).
public final class MemoryKeeper implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MemoryKeeper.class);
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final long LARGE = 48L << 20;
    private static final long SLACK = 8L << 20;
    private static final long QUIET = 1L << 19;
    private static final int CALM = 3;
    private static final int RELEASES = 2; // what the first one itself runs is new and takes part of it back

    private final Timeline timeline;
    private Timeline.@Nullable Appointment next;
    private long live;
    private long before;
    private int calm; // checks in a row that found nothing to do
    private int releases;
    private boolean closed;

    public MemoryKeeper(Timeline timeline) {
        this.timeline = timeline;
    }

    /// What there is to know is known, and nothing is served yet.
    public void begin() {
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
            quiet = false; // it looked at all classes
        }
        calm = quiet ? calm + 1 : 0;
        if (calm >= CALM && releases < RELEASES) {
            releases++;
            release();
        }
        schedule();
    }

    private void release() {
        try {
            var pages = FilePages.releasable();
            collect(); // now, so that none is due soon: it looks at all classes and brings them back
            var bytes = pages.release();
            log.atDebug().addKeyValue("bytes", bytes).log("unused pages of files went back");
        } catch (PosixException e) {
            log.atDebug().setCause(e).log("unused pages of files stay"); // a matter of size only
        }
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
