// SPDX-License-Identifier: Apache-2.0
package io.fathom.fleet.server;

import io.fathom.model.fleet.Interest;
import io.fathom.model.fleet.Interest.InterestScope;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// Who is interested in which service, so that a change costs those and not everybody. Guarded by its
/// [ServiceDirectory].
final class InterestIndex<T> {
    private final Set<T> inAll = new LinkedHashSet<>();
    private final Map<String, Set<T>> inNamespaces = new HashMap<>();
    private final Map<String, Set<T>> inPaths = new HashMap<>();

    void add(T who, Interest interest) {
        switch (interest.scope()) {
            case InterestScope.Everything() -> inAll.add(who);
            case InterestScope.Namespaces(var names) -> add(who, inNamespaces, names);
            case InterestScope.Listed(var paths) -> add(who, inPaths, paths);
        }
    }

    private static <T> void add(T who, Map<String, Set<T>> index, Set<String> keys) {
        keys.forEach(
                key -> index.computeIfAbsent(key, _ -> new LinkedHashSet<>(2)).add(who));
    }

    /// Takes back what was added with an equal interest.
    void remove(T who, Interest interest) {
        switch (interest.scope()) {
            case InterestScope.Everything() -> inAll.remove(who);
            case InterestScope.Namespaces(var names) -> remove(who, inNamespaces, names);
            case InterestScope.Listed(var paths) -> remove(who, inPaths, paths);
        }
    }

    private static <T> void remove(T who, Map<String, Set<T>> index, Set<String> keys) {
        keys.forEach(key -> index.computeIfPresent(
                key, (_, interested) -> interested.remove(who) && interested.isEmpty() ? null : interested));
    }

    /// Goes through those who are interested in a service.
    void forEach(String path, Consumer<T> action) {
        inAll.forEach(action);
        if (!inNamespaces.isEmpty()) {
            inNamespaces
                    .getOrDefault(path.substring(0, path.indexOf('/')), Set.of())
                    .forEach(action);
        }
        inPaths.getOrDefault(path, Set.of()).forEach(action);
    }
}
