// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds;

import io.fathom.wire.xds.store.ResourceStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/// A few threads that bring streams to the latest cut, each its own share of them.
///
/// A change after a pause is pushed at once. Under load changes wait for a short pause, but not long, and are merged;
/// what arrives during a round is merged into the next. A client that cannot take anything costs one check per round.
final class PushLanes implements AutoCloseable {
    private static final long CHECK_INTERVAL = TimeUnit.SECONDS.toNanos(1);

    private final ResourceStore store;
    private final XdsObserver observer;
    private final long quiet;
    private final long longest;
    private final List<Lane> lanes;
    private final ResourceStore.Registration registration;
    private final AtomicInteger next = new AtomicInteger();

    private volatile boolean closed;

    PushLanes(ResourceStore store, Pacing pacing, int count, XdsObserver observer) {
        this.store = store;
        this.observer = observer;
        this.quiet = pacing.quiet().toNanos();
        this.longest = pacing.longest().toNanos();
        this.lanes = IntStream.range(0, count).mapToObj(Lane::new).toList();
        this.registration = store.onPublish(this::wake);
        lanes.forEach(lane -> lane.thread.start());
    }

    /// From now on the stream hears of every cut, until the answer is run.
    Runnable add(AdsCall call) {
        var lane = lanes.get(Math.floorMod(next.getAndIncrement(), lanes.size()));
        lane.calls.add(call);
        return () -> lane.calls.remove(call);
    }

    private void wake() {
        lanes.forEach(lane -> LockSupport.unpark(lane.thread));
    }

    @Override
    public void close() {
        registration.close();
        closed = true;
        wake();
    }

    private final class Lane implements Runnable {
        private final Set<AdsCall> calls = ConcurrentHashMap.newKeySet();
        private final Thread thread;
        private long pushed;
        private boolean newsHeld;
        private long lastRound = System.nanoTime();
        private long lastCheck = System.nanoTime();

        Lane(int number) {
            this.pushed = store.head().sequence();
            this.newsHeld = store.isNewsHeld();
            this.thread =
                    Thread.ofPlatform().daemon().name("xds-push-" + number).unstarted(this);
        }

        @Override
        public void run() {
            while (!closed) {
                if (store.head().sequence() == pushed && store.isNewsHeld() == newsHeld) {
                    LockSupport.parkNanos(this, CHECK_INTERVAL);
                } else {
                    var noticed = System.nanoTime();
                    awaitQuiet();
                    observer.merged(Duration.ofNanos(System.nanoTime() - noticed));
                    pushed = store.head().sequence();
                    newsHeld = store.isNewsHeld();
                    calls.forEach(AdsCall::push); // never throws
                    lastRound = System.nanoTime();
                }
                var now = System.nanoTime();
                if (now - lastCheck >= CHECK_INTERVAL) {
                    lastCheck = now;
                    calls.forEach(call -> call.checkProgress(now));
                }
            }
        }

        private void awaitQuiet() {
            var started = System.nanoTime();
            if (started - lastRound >= quiet) {
                return;
            }
            while (!closed) {
                var now = System.nanoTime();
                var sinceChange = now - store.head().nanos();
                var wait = Math.min(quiet - sinceChange, longest - (now - started));
                if (wait <= 0) {
                    return;
                }
                LockSupport.parkNanos(this, wait);
            }
        }
    }
}
