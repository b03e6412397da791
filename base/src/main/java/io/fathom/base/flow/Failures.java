// SPDX-License-Identifier: Apache-2.0
package io.fathom.base.flow;

import java.util.Optional;
import java.util.function.Supplier;

/// What happens when a derivation or a subscriber throws, which is a bug. In production the row keeps its last good
/// value, the subscriber is told again, and the bug is reported: one bad object must not stop the others.
@FunctionalInterface
public interface Failures {
    void report(String table, Object key, RuntimeException bug);

    /// Called when all subscribers have been told.
    default void reportSubscriber(String subscriber, RuntimeException bug) {
        report("subscribers", subscriber, bug);
    }

    /// For tests: any bug ends the update.
    static Failures rethrown() {
        return (_, _, bug) -> {
            throw bug;
        };
    }

    /// Empty when the derivation failed.
    default <R> Optional<R> attempt(Stage table, Object key, Supplier<R> derivation) {
        try {
            return Optional.of(derivation.get());
        } catch (RuntimeException bug) {
            report(table.name(), key, bug);
            return Optional.empty();
        }
    }
}
