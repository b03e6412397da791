// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.fathom.base.lang.Timeline;
import io.fathom.base.work.RefreshedValue;
import io.fathom.base.work.RefreshedValues;
import java.time.Duration;
import java.util.Optional;
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

    private final Timeline timeline;
    private final KeySetListener listener;
    private final RefreshedValues<JwksSource, String> keySets;

    /// What is known of a key set.
    ///
    /// @param keySet the last good one
    /// @param failure why the last attempt failed; empty when it did not
    public record KeySetState(Optional<String> keySet, Optional<String> failure) {
        private static KeySetState of(RefreshedValue.State<String> state) {
            return new KeySetState(state.value(), state.failure());
        }
    }

    /// Told when [#state] of a source is another one.
    @FunctionalInterface
    public interface KeySetListener {
        void changed(JwksStore store, JwksSource source);
    }

    /// Fetches nothing yet.
    ///
    /// @param refresh how long a key set is good enough
    public JwksStore(JwksFetcher fetcher, Timeline timeline, Duration refresh, KeySetListener listener) {
        this.timeline = timeline;
        this.listener = listener;
        this.keySets = new RefreshedValues<>(
                new RefreshedValues.RefreshSettings(Optional.of(refresh), FIRST_RETRY, LONGEST_RETRY, AT_ONCE),
                timeline,
                fetcher::fetch,
                this::tried);
    }

    /// Fetches it from now on; nothing if it does already.
    public void want(JwksSource source) {
        keySets.want(source);
    }

    /// Does not fetch it any more, and forgets what it knew.
    public void forget(JwksSource source) {
        if (keySets.forget(source)) {
            // not here: whoever calls may be in the middle of what the listener wants to change
            var _ = timeline.at(timeline.instant(), () -> listener.changed(this, source));
        }
    }

    /// Empty when it is not wanted.
    public Optional<KeySetState> state(JwksSource source) {
        return keySets.find(source).map(KeySetState::of);
    }

    private void tried(JwksSource source, RefreshedValue.State<String> before, RefreshedValue.State<String> now) {
        now.failure()
                .ifPresent(reason -> log.atWarn()
                        .addKeyValue("address", source.address())
                        .addKeyValue("reason", reason)
                        .log(
                                now.value().isPresent()
                                        ? "key set not refreshed, the last one stays"
                                        : "no key set yet, tokens are refused"));
        if (!KeySetState.of(before).equals(KeySetState.of(now))) {
            listener.changed(this, source);
        }
    }

    @Override
    public void close() {
        keySets.close();
    }
}
