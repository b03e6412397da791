// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.xds.store;

import io.fathom.base.flow.PersistentMap;
import java.util.Optional;
import java.util.function.Consumer;

/// The names of the resources behind a key: mostly one (an address), sometimes thousands (a service). Immutable.
sealed interface Members {
    record One(String name) implements Members {}

    record Many(PersistentMap<String, Boolean> names) implements Members {}

    default Members with(String added) {
        return switch (this) {
            case One(var name) when name.equals(added) -> this;
            case One(var name) ->
                new Many(PersistentMap.<String, Boolean>empty().with(name, true).with(added, true));
            case Many(var names) -> new Many(names.with(added, true));
        };
    }

    /// Empty when nothing is left.
    default Optional<Members> without(String removed) {
        return switch (this) {
            case One(var name) -> name.equals(removed) ? Optional.empty() : Optional.of(this);
            case Many(var names) -> {
                var rest = names.without(removed);
                if (rest.size() == 1) {
                    yield Optional.of(new One(rest.iterator().next().getKey()));
                }
                yield rest.isEmpty() ? Optional.empty() : Optional.of(new Many(rest));
            }
        };
    }

    default void forEach(Consumer<String> action) {
        switch (this) {
            case One(var name) -> action.accept(name);
            case Many(var names) -> names.forEach((name, _) -> action.accept(name));
        }
    }
}
