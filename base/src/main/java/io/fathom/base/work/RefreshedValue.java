// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.work;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/// A value from elsewhere: loaded, kept, and loaded again. When loading fails, the last good one stays. Any thread; one
/// loads at a time, and the others wait.
public final class RefreshedValue<V> {
    private final Loader<V> loader;
    private volatile State<V> state = new State<>(Optional.empty(), Instant.MIN, Instant.MIN, Optional.empty(), 0);

    /// Gets the value from where it is. May block.
    @FunctionalInterface
    public interface Loader<V> {
        /// Gets it, once.
        ///
        /// @throws IOException with words for the operator about why there is none
        V load() throws IOException, InterruptedException;
    }

    /// What is known.
    ///
    /// @param value the last good one
    /// @param loaded when it was loaded, and [Instant#MIN] before
    /// @param tried when that was last tried
    /// @param failure why the last attempt failed; empty when it did not
    /// @param failures how many attempts in a row failed
    public record State<V>(Optional<V> value, Instant loaded, Instant tried, Optional<String> failure, int failures) {
        private State<V> failed(String reason, Instant now) {
            return new State<>(value, loaded, now, Optional.of(reason), failures + 1);
        }
    }

    /// Loads nothing yet.
    public RefreshedValue(Loader<V> loader) {
        this.loader = loader;
    }

    public State<V> state() {
        return state;
    }

    /// Loads it now.
    public synchronized State<V> load(Instant now) throws InterruptedException {
        try {
            state = new State<>(Optional.of(loader.load()), now, now, Optional.empty(), 0);
        } catch (IOException e) {
            state = state.failed(Objects.requireNonNullElse(e.getMessage(), e.toString()), now);
        } catch (RuntimeException e) {
            state = state.failed(e.toString(), now);
        }
        return state;
    }

    /// Loads it now, unless somebody tried that less than `pause` ago.
    public synchronized State<V> load(Instant now, Duration pause) throws InterruptedException {
        return now.isBefore(state.tried().plus(pause)) ? state : load(now);
    }
}
