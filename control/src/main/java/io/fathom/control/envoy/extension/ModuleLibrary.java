// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.extension;

import com.google.protobuf.ByteString;
import io.fathom.base.lang.Backoff;
import io.fathom.base.lang.Problem;
import io.fathom.base.lang.Timeline;
import io.fathom.base.lang.Timeline.Appointment;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the modules that extensions name: each is fetched once, whatever the number of proxies, and kept as long as
/// an extension names it. A fetch that fails several times makes the module [ModuleState.Failed]; it is tried again
/// all the same. A module that is there stays, even if its source goes away.
///
/// Any thread. Calls return at once; fetching is done by the timeline's threads, a few at a time. The listener is
/// called there too, without a lock.
public final class ModuleLibrary implements Modules, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ModuleLibrary.class);
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(5);
    private static final int TRIES = 5;
    private static final int AT_ONCE = 4;

    private final ModuleFetcher fetcher;
    private final Timeline timeline;
    private final Listener listener;
    private final Semaphore fetching = new Semaphore(AT_ONCE);
    private final Map<ModuleSource, Entry> entries = new HashMap<>();
    private boolean closed;

    /// Told when [#find] of a source has another answer.
    @FunctionalInterface
    public interface Listener {
        void changed(ModuleSource source, ModuleState state);
    }

    private static final class Entry {
        private final Backoff backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY, new SplittableRandom());
        private ModuleState state = new ModuleState.Pending();
        private int failures;
        private @Nullable Appointment next;
    }

    /// Fetches nothing yet.
    public ModuleLibrary(ModuleFetcher fetcher, Timeline timeline, Listener listener) {
        this.fetcher = fetcher;
        this.timeline = timeline;
        this.listener = listener;
    }

    /// Fetches these from now on, and forgets all others.
    public synchronized void want(Set<ModuleSource> sources) {
        entries.entrySet().removeIf(entry -> {
            var gone = !sources.contains(entry.getKey());
            if (gone && entry.getValue().next != null) {
                entry.getValue().next.close();
            }
            return gone;
        });
        for (var source : sources) {
            if (!closed && !entries.containsKey(source)) {
                var entry = new Entry();
                entries.put(source, entry);
                schedule(source, entry, Duration.ZERO);
            }
        }
    }

    @Override
    public synchronized ModuleState find(ModuleSource source) {
        var entry = entries.get(source);
        return entry == null ? new ModuleState.Pending() : entry.state;
    }

    private void schedule(ModuleSource source, Entry entry, Duration delay) {
        entry.next = timeline.at(timeline.instant().plus(delay), () -> fetch(source, entry));
    }

    private void fetch(ModuleSource source, Entry entry) {
        try {
            fetching.acquire();
            try {
                arrived(source, entry, fetcher.fetch(source));
            } catch (IOException e) {
                failed(source, entry, String.valueOf(e.getMessage()));
            } catch (RuntimeException e) {
                failed(source, entry, e.toString());
            } finally {
                fetching.release();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void arrived(ModuleSource source, Entry entry, byte[] module) {
        var state = new ModuleState.Ready(ByteString.copyFrom(module));
        synchronized (this) {
            if (closed || entries.get(source) != entry) {
                return;
            }
            entry.state = state;
        }
        log.atInfo()
                .addKeyValue("module", source.url())
                .addKeyValue("bytes", module.length)
                .log("module fetched");
        listener.changed(source, state);
    }

    private void failed(ModuleSource source, Entry entry, String message) {
        var problem = new Problem(
                "module-fetch",
                "module " + source.url() + " cannot be fetched: " + message,
                "correct its address, its digest or its pull secret",
                Problem.Origin.CLIENT,
                Problem.Retry.SENSIBLE);
        var state = new ModuleState.Failed(problem);
        synchronized (this) {
            if (closed || entries.get(source) != entry) {
                return;
            }
            entry.failures++;
            schedule(source, entry, entry.backoff.next());
            if (entry.failures < TRIES || entry.state.equals(state)) {
                return;
            }
            entry.state = state;
        }
        log.atWarn().addKeyValue("problem", problem).log("a module cannot be fetched");
        listener.changed(source, state);
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
