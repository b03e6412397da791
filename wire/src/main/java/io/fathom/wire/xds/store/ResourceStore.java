// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/// What is served, for all streams: the resources at the latest cut and a bounded log of how they came about.
///
/// One writer publishes; a batch becomes one [StoreCut], and a batch that changes no bytes becomes none. Any thread
/// reads. A stream keeps the sequence it has reached and asks for what came after it: the answer is computed and
/// encoded once for all streams that are at the same place.
public final class ResourceStore {
    private static final int SHARED_RANGES = 8;

    private final InstantSource clock;
    /// Guarded by itself, and never for long: readers wait for it.
    private final ChangeLog log;
    private final ResponseFactory responses;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    /// Newest last; guarded by itself.
    private final ArrayDeque<Range> ranges = new ArrayDeque<>();

    private volatile StoreCut head;
    private volatile boolean ready;
    private volatile boolean newsHeld;

    public ResourceStore(InstantSource clock) {
        this(clock, StoreLimits.DEFAULT, StreamLimits.DEFAULT.chunkBytes());
    }

    /// @param chunkBytes responses with more resources than fit into this are split
    public ResourceStore(InstantSource clock, StoreLimits limits, int chunkBytes) {
        this.clock = clock;
        this.log = new ChangeLog(limits);
        this.responses = new ResponseFactory(chunkBytes);
        this.head = new StoreCut(0, clock.instant(), System.nanoTime(), Map.of());
    }

    /// Makes the batch visible at once and as a whole, then tells the streams. The first call makes the store ready.
    public synchronized StoreCut publish(ResourceBatch batch) {
        var before = head;
        apply(batch);
        ready = true;
        if (head.sequence() != before.sequence()) {
            listeners.forEach(Runnable::run);
        }
        return head;
    }

    private void apply(ResourceBatch batch) {
        var sequence = head.sequence() + 1;
        var catalogs = new HashMap<>(head.catalogs());
        var changes = new HashMap<XdsType, Changes>();
        batch.forEach((type, rows) -> {
            var catalog = catalogs.getOrDefault(type, Catalog.EMPTY);
            var puts = new ArrayList<XdsResource>();
            var removed = new ArrayList<String>();
            for (var row : rows.entrySet()) {
                var known = catalog.get(row.getKey());
                var next = row.getValue().orElse(null);
                if (next == null) {
                    if (known != null) {
                        removed.add(row.getKey());
                        catalog = catalog.without(row.getKey());
                    }
                } else if (known == null || !known.sameContent(next)) {
                    var published = next.publishedAt(sequence);
                    puts.add(published);
                    catalog = catalog.with(published);
                }
            }
            if (!puts.isEmpty() || !removed.isEmpty()) {
                catalogs.put(type, catalog);
                changes.put(type, new Changes(puts, removed));
            }
        });
        if (!changes.isEmpty()) {
            synchronized (log) {
                log.append(new ChangeLog.Step(sequence, Map.copyOf(changes)));
            }
            head = new StoreCut(sequence, clock.instant(), System.nanoTime(), catalogs);
        }
    }

    /// Says that what is published so far, even nothing, is all there is: streams are accepted from now on.
    public void markReady() {
        ready = true;
    }

    /// Clients that reconnect with addresses from before get none until [#releaseNews]: what they have works.
    public void holdNews() {
        newsHeld = true;
    }

    public void releaseNews() {
        newsHeld = false;
        listeners.forEach(Runnable::run);
    }

    public boolean isNewsHeld() {
        return newsHeld;
    }

    public boolean isReady() {
        return ready;
    }

    public StoreCut head() {
        return head;
    }

    /// Calls `listener` on the writer's thread after each new cut; it must not block.
    public Registration onPublish(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /// Ends when closed.
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    public ResponseFactory responses() {
        return responses;
    }

    /// What a client that has everything of cut `from` lacks of cut `to`; from 0 it has nothing. Empty when it cannot
    /// be told any more what was removed meanwhile.
    public Optional<Range> since(long from, StoreCut to) {
        synchronized (ranges) {
            for (var newestFirst = ranges.descendingIterator(); newestFirst.hasNext(); ) {
                var range = newestFirst.next();
                if (range.covers(from, to)) {
                    return Optional.of(range);
                }
            }
            var range = range(from, to);
            range.ifPresent(ranges::addLast);
            if (ranges.size() > SHARED_RANGES) {
                ranges.removeFirst();
            }
            return range;
        }
    }

    private Optional<Range> range(long from, StoreCut to) {
        if (from == 0) {
            return Optional.of(Range.ofComparison(0, to, responses, Map.of()));
        }
        synchronized (log) {
            return log.between(from, to.sequence())
                    .map(steps -> Range.ofSteps(from, to, responses, steps))
                    .or(() -> log.removedBetween(from, to.sequence())
                            .map(removed -> Range.ofComparison(from, to, responses, removed)));
        }
    }
}
