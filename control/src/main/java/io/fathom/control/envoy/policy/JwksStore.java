// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Timeline;
import io.fathom.base.lang.Timeline.Appointment;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps key sets of token issuers: fetched when first wanted, then again and again, so that new keys are known before
/// long. When a fetch fails, the last good set stays and the next attempt comes sooner.
///
/// Any thread. Calls return at once; fetching is done by the timeline's threads, a few at a time. Listeners are called
/// there too, without a lock.
public final class JwksStore implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JwksStore.class);
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(5);
    private static final int AT_ONCE = 8;

    private final JwksFetcher fetcher;
    private final Timeline timeline;
    private final Duration refresh;
    private final Listener listener;
    private final Semaphore fetching = new Semaphore(AT_ONCE);
    private final Map<JwksSource, Entry> entries = new HashMap<>();
    private boolean closed;

    /// What is known of a key set.
    ///
    /// @param keySet the last good one
    /// @param failure why the last attempt failed; empty when it did not
    public record State(Optional<String> keySet, Optional<String> failure) {
        static final State NOTHING = new State(Optional.empty(), Optional.empty());
    }

    /// Told when [#state] of a source is another one.
    @FunctionalInterface
    public interface Listener {
        void changed(JwksStore store, JwksSource source);
    }

    private static final class Entry {
        private final Backoff backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY, new SplittableRandom());
        private State state = State.NOTHING;
        private @Nullable Appointment next;
    }

    /// Fetches nothing yet.
    ///
    /// @param refresh how long a key set is good enough
    public JwksStore(JwksFetcher fetcher, Timeline timeline, Duration refresh, Listener listener) {
        this.fetcher = fetcher;
        this.timeline = timeline;
        this.refresh = refresh;
        this.listener = listener;
    }

    /// Fetches it from now on; nothing if it does already.
    public synchronized void want(JwksSource source) {
        if (!closed && !entries.containsKey(source)) {
            var entry = new Entry();
            entries.put(source, entry);
            schedule(source, entry, Duration.ZERO);
        }
    }

    /// Does not fetch it any more, and forgets what it knew.
    public synchronized void forget(JwksSource source) {
        var entry = entries.remove(source);
        if (entry != null) {
            if (entry.next != null) {
                entry.next.close();
            }
            if (!closed) {
                // not here: whoever calls may be in the middle of what the listener wants to change
                var _ = timeline.at(timeline.instant(), () -> listener.changed(this, source));
            }
        }
    }

    /// Empty when it is not wanted.
    public synchronized Optional<State> state(JwksSource source) {
        return Optional.ofNullable(entries.get(source)).map(entry -> entry.state);
    }

    private synchronized void schedule(JwksSource source, Entry entry, Duration after) {
        if (!closed && entries.get(source) == entry) {
            entry.next = timeline.at(timeline.instant().plus(after), () -> fetch(source, entry));
        }
    }

    private void fetch(JwksSource source, Entry entry) {
        try {
            var keySet = fetched(source);
            succeeded(source, entry, keySet);
        } catch (IOException e) {
            failed(source, entry, Objects.requireNonNullElse(e.getMessage(), e.toString()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the end
        }
    }

    private String fetched(JwksSource source) throws IOException, InterruptedException {
        fetching.acquire();
        try {
            return fetcher.fetch(source);
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e); // an address that nobody can be asked at
        } finally {
            fetching.release();
        }
    }

    private void succeeded(JwksSource source, Entry entry, String keySet) {
        entry.backoff.reset();
        become(source, entry, new State(Optional.of(keySet), Optional.empty()));
        schedule(source, entry, refresh);
    }

    private void failed(JwksSource source, Entry entry, String reason) {
        var keeps = entry.state.keySet().isPresent();
        log.atWarn()
                .addKeyValue("address", source.address())
                .addKeyValue("reason", reason)
                .log(keeps ? "key set not refreshed, the last one stays" : "no key set yet, tokens are refused");
        become(source, entry, new State(entry.state.keySet(), Optional.of(reason)));
        schedule(source, entry, entry.backoff.next());
    }

    private void become(JwksSource source, Entry entry, State state) {
        synchronized (this) {
            if (closed || entries.get(source) != entry || entry.state.equals(state)) {
                return;
            }
            entry.state = state;
        }
        listener.changed(this, source);
    }

    @Override
    public synchronized void close() {
        closed = true;
        entries.values().forEach(entry -> {
            if (entry.next != null) {
                entry.next.close();
            }
        });
        entries.clear();
    }
}
