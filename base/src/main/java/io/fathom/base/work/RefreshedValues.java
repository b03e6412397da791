// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.work;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Timeline;
import io.fathom.base.lang.Timeline.Appointment;
import io.fathom.base.work.RefreshedValue.State;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// Values from elsewhere by key, loaded in the background: when first wanted, then again and again. When that fails,
/// the last good value stays and the next attempt comes sooner, then later and later.
///
/// Any thread. Calls return at once; loading is done by the timeline's threads, a few at a time. The listener is called
/// there too, without a lock.
public final class RefreshedValues<K, V> implements AutoCloseable {
    private final RefreshSettings settings;
    private final Timeline timeline;
    private final Loader<K, V> loader;
    private final ValueListener<K, V> listener;
    private final Semaphore loading;
    private final Map<K, Entry<V>> entries = new HashMap<>(); // guarded by this
    private boolean closed;

    /// How values are loaded.
    ///
    /// @param refresh how long a value is good enough; empty: for ever
    /// @param firstRetry the pause after a failure; each further one is twice as long, up to `longestRetry`
    /// @param atOnce how many are loaded at the same time
    public record RefreshSettings(Optional<Duration> refresh, Duration firstRetry, Duration longestRetry, int atOnce) {}

    /// Gets a value from where it is. May block.
    @FunctionalInterface
    public interface Loader<K, V> {
        V load(K key) throws IOException, InterruptedException;
    }

    /// Told of every attempt.
    @FunctionalInterface
    public interface ValueListener<K, V> {
        void tried(K key, State<V> before, State<V> now);
    }

    private static final class Entry<V> {
        private final RefreshedValue<V> value;
        private final Backoff backoff;
        private @Nullable Appointment next;

        private Entry(RefreshedValue<V> value, Backoff backoff) {
            this.value = value;
            this.backoff = backoff;
        }

        private void cancel() {
            if (next != null) {
                next.close();
            }
        }
    }

    /// Loads nothing yet.
    public RefreshedValues(
            RefreshSettings settings, Timeline timeline, Loader<K, V> loader, ValueListener<K, V> listener) {
        this.settings = settings;
        this.timeline = timeline;
        this.loader = loader;
        this.listener = listener;
        this.loading = new Semaphore(settings.atOnce());
    }

    /// Loads it from now on; nothing if it does already.
    public synchronized void want(K key) {
        if (!closed && !entries.containsKey(key)) {
            var entry = new Entry<V>(
                    new RefreshedValue<>(() -> loader.load(key)),
                    new Backoff(settings.firstRetry(), settings.longestRetry(), new SplittableRandom()));
            entries.put(key, entry);
            schedule(key, entry, Duration.ZERO);
        }
    }

    /// Does not load it any more, and forgets what it knew.
    ///
    /// @return whether it was wanted
    public synchronized boolean forget(K key) {
        var entry = entries.remove(key);
        if (entry != null) {
            entry.cancel();
        }
        return entry != null;
    }

    /// Those that are wanted.
    public synchronized Set<K> keys() {
        return Set.copyOf(entries.keySet());
    }

    /// Empty when it is not wanted.
    public synchronized Optional<State<V>> find(K key) {
        return Optional.ofNullable(entries.get(key)).map(entry -> entry.value.state());
    }

    private void schedule(K key, Entry<V> entry, Duration after) {
        entry.next = timeline.at(timeline.instant().plus(after), () -> load(key, entry));
    }

    private void load(K key, Entry<V> entry) {
        var before = entry.value.state();
        try {
            loading.acquire();
            try {
                entry.value.load(timeline.instant());
            } finally {
                loading.release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the end
            return;
        }
        var now = entry.value.state();
        synchronized (this) {
            if (closed || entries.get(key) != entry) {
                return;
            }
            if (now.failure().isPresent()) {
                schedule(key, entry, entry.backoff.next());
            } else {
                entry.backoff.reset();
                settings.refresh().ifPresent(pause -> schedule(key, entry, pause));
            }
        }
        listener.tried(key, before, now);
    }

    /// Nothing is loaded after this, and nobody told.
    @Override
    public synchronized void close() {
        closed = true;
        entries.values().forEach(Entry::cancel);
        entries.clear();
    }
}
