// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/// Bounds the memory of large responses that are on their way to all clients together: after a restart every client
/// wants everything at once. Whoever finds no room waits its turn and is called. Thread-safe.
final class SendBudget {
    private record Waiting(long bytes, Runnable retry) {}

    /// Smaller responses are not worth waiting for.
    static final int LARGE = 1024 * 1024;

    private final long limit;
    private long used;
    private final Queue<Waiting> queue = new ArrayDeque<>();

    SendBudget(long limit) {
        this.limit = limit;
    }

    /// True when the bytes may be sent now, to be given back with [#release]; else `retry` is called, holding them,
    /// when there is room.
    synchronized boolean acquire(int bytes, Runnable retry) {
        if (queue.isEmpty() && fits(bytes)) {
            used += bytes;
            return true;
        }
        queue.add(new Waiting(bytes, retry));
        return false;
    }

    void release(int bytes) {
        List<Runnable> next = new ArrayList<>();
        synchronized (this) {
            used -= bytes;
            for (var first = queue.peek(); first != null && fits(first.bytes()); first = queue.peek()) {
                used += first.bytes();
                next.add(queue.remove().retry());
            }
        }
        next.forEach(Runnable::run);
    }

    /// One response is always let through, however large.
    private boolean fits(long bytes) {
        return used == 0 || used + bytes <= limit;
    }
}
