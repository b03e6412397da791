package io.fathom.node.socket;

import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A few sockets that were made in advance. It starts empty, so pods without traffic cost nothing, and each time it
/// runs out it keeps twice as many, up to [#MOST]. For any thread; nobody waits.
final class SocketStock<C extends Channel> implements AutoCloseable {
    private static final int MOST = 16;

    private final Supplier<C> maker;
    private final Consumer<Runnable> elsewhere;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<C> ready = new ArrayDeque<>(); // at most `wanted`
    private int wanted = 1;
    private boolean filling;
    private boolean closed;

    /// @param elsewhere runs what it is given later, where sockets are to be made
    SocketStock(Supplier<C> maker, Consumer<Runnable> elsewhere) {
        this.maker = maker;
        this.elsewhere = elsewhere;
    }

    /// Null when there is none: the caller has to wait for one itself.
    @Nullable
    C take() {
        boolean fill;
        @Nullable C taken;
        lock.lock();
        try {
            taken = ready.poll();
            if (taken == null) {
                wanted = Math.min(MOST, 2 * wanted);
            }
            fill = !closed && !filling && ready.size() <= wanted / 2;
            filling |= fill;
        } finally {
            lock.unlock();
        }
        if (fill) {
            elsewhere.accept(this::fill);
        }
        return taken;
    }

    private void fill() {
        var missing = missing();
        while (missing > 0) {
            @Nullable C made = null;
            try {
                made = maker.get();
            } catch (RuntimeException e) {
                // whoever needs one next makes it itself and hears the reason
            }
            missing = made == null ? stopFilling() : add(made);
        }
    }

    private int missing() {
        lock.lock();
        try {
            var missing = closed ? 0 : wanted - ready.size();
            filling = missing > 0;
            return missing;
        } finally {
            lock.unlock();
        }
    }

    private int stopFilling() {
        lock.lock();
        try {
            filling = false;
            return 0;
        } finally {
            lock.unlock();
        }
    }

    private int add(C made) {
        lock.lock();
        try {
            if (closed) {
                SocketMaker.discard(made);
            } else {
                ready.add(made);
            }
        } finally {
            lock.unlock();
        }
        return missing();
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
