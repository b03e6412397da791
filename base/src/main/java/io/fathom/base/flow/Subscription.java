// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.Optional;
import java.util.function.Consumer;

/// A subscriber and what it has taken. One that fails keeps its place: the next commit that it gets tells all that
/// changed since the last one it took. What it did of the failed one it may do again, so it has to be able to.
///
/// Used by the flow's writer only.
final class Subscription {
    private final Consumer<Commit> subscriber;
    /// The last cut it took, while it lags behind.
    private Optional<Cut> taken = Optional.empty();

    Subscription(Consumer<Commit> subscriber) {
        this.subscriber = subscriber;
    }

    /// Tells it of an update, and of those that it missed. The bug, if it failed.
    ///
    /// @param before the cut that the update began with
    Optional<RuntimeException> tell(Cut before, Cut now) {
        try {
            subscriber.accept(taken.map(old -> Commit.since(old, now)).orElseGet(() -> Commit.of(now)));
            taken = Optional.empty();
            return Optional.empty();
        } catch (RuntimeException | Error bug) {
            taken = taken.or(() -> Optional.of(before));
            return Optional.of(bug instanceof RuntimeException own ? own : new IllegalStateException(bug));
        }
    }

    String name() {
        return subscriber.getClass().getName();
    }
}
