// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.socket;

import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A few sockets that were made in advance. It starts empty, so pods without traffic cost nothing, and each time it
/// runs out it keeps twice as many, up to [#MOST]. For any thread; nobody waits.
///
/// The lock is never taken inside a pod's namespace: giving it back could wake a virtual thread, and for that start a
/// carrier, which would stay there.
final class SocketStock<C extends Channel> implements AutoCloseable {
    private static final int MOST = 16;

    private final Supply<C> supply;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<C> ready = new ArrayDeque<>(); // at most `wanted`
    private int wanted = 1;
    private boolean filling;
    private boolean closed;

    /// Makes sockets elsewhere.
    interface Supply<C> {
        /// Completes outside of the namespace; with fewer if there are no more to be had.
        CompletableFuture<List<C>> make(int count);
    }

    SocketStock(Supply<C> supply) {
        this.supply = supply;
    }

    /// Null when there is none: the caller has to wait for one itself.
    @Nullable
    C take() {
        @Nullable C taken;
        var missing = 0;
        lock.lock();
        try {
            taken = ready.poll();
            if (taken == null) {
                wanted = Math.min(MOST, 2 * wanted);
            }
            if (!closed && !filling && ready.size() <= wanted / 2) {
                filling = true;
                missing = wanted - ready.size();
            }
        } finally {
            lock.unlock();
        }
        if (missing > 0) {
            var _ = supply.make(missing).whenComplete((made, failure) -> fill(failure == null ? made : List.of()));
        }
        return taken;
    }

    /// If there are none, whoever needs one next makes it itself and hears the reason.
    private void fill(List<C> made) {
        lock.lock();
        try {
            filling = false;
            if (closed) {
                made.forEach(SocketMaker::discard);
            } else {
                ready.addAll(made);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            ready.forEach(SocketMaker::discard);
            ready.clear();
        } finally {
            lock.unlock();
        }
    }
}
