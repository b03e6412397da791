// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.telemetry;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/// Writes the access log on a thread of its own. Whoever hands a line over never waits: when the writer is behind by
/// [#WAITING] lines, more are dropped and counted. Making text of them is the writer's work too.
public final class AccessLog implements AutoCloseable {
    /// The most lines that wait to be written.
    static final int WAITING = 16_384;

    private static final int BATCH_CHARACTERS = 32 * 1024;
    private static final long LONGEST_NAP = 1_000_000_000L;
    /// After each batch. What comes meanwhile need not wake anybody: under load that cost two wake-ups per connection.
    private static final long REST = 5_000_000L;

    private final OutputStream out;
    private final AccessFormat format;
    private final Queue<AccessEntry> queue = PlatformDependent.newFixedMpscQueue(WAITING);
    private final LongAdder dropped = new LongAdder();
    private final Thread writer;
    private volatile boolean logsOpened;
    private volatile boolean naps;
    private volatile boolean closed;

    public AccessLog(OutputStream out, AccessFormat format) {
        this.out = out;
        this.format = format;
        this.writer = Thread.ofPlatform().daemon().name("access-log").unstarted(this::run);
        writer.start();
    }

    /// Whether lines of level debug are wanted too: one when a connection begins.
    public enum Detail {
        COMPLETED,
        OPENED_TOO
    }

    public void detail(Detail detail) {
        logsOpened = detail == Detail.OPENED_TOO;
    }

    boolean logsOpened() {
        return logsOpened;
    }

    /// How many lines were lost because the writer was behind.
    public long dropped() {
        return dropped.sum();
    }

    void log(AccessEntry entry) {
        if (closed || !queue.offer(entry)) {
            dropped.increment();
        } else if (naps) {
            naps = false; // the others need not wake it again
            LockSupport.unpark(writer);
        }
    }

    private void run() {
        var lines = new StringBuilder(BATCH_CHARACTERS);
        var time = new TimeText();
        while (true) {
            var last = closed;
            for (var entry = queue.poll(); entry != null; entry = queue.poll()) {
                format.write(lines, entry, time);
                if (lines.length() >= BATCH_CHARACTERS) {
                    write(lines);
                }
            }
            if (!lines.isEmpty()) {
                write(lines);
                rest();
            } else if (last) {
                return;
            } else {
                nap();
            }
        }
    }

    private void rest() {
        if (!closed) {
            LockSupport.parkNanos(this, REST);
        }
    }

    private void nap() {
        naps = true;
        if (queue.isEmpty() && !closed) {
            LockSupport.parkNanos(this, LONGEST_NAP);
        }
        naps = false;
    }

    private void write(StringBuilder lines) {
        try {
            out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            dropped.add(lines.chars().filter(c -> c == '\n').count());
        }
        lines.setLength(0);
    }

    /// Writes what waits, then ends. Does not close the stream.
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(writer);
        try {
            writer.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
