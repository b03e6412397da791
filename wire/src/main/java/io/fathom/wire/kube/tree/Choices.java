// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import io.fathom.base.lang.Likeness;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// The values of an enumerated field by their spelling in manifests.
public final class Choices<E> {
    private final Map<String, E> byName;

    private Choices(Map<String, E> byName) {
        this.byName = byName;
    }

    /// In the order in which messages shall list them.
    public static <E extends Enum<E>> Choices<E> of(Class<E> type, Function<E, String> spelling) {
        var byName = new LinkedHashMap<String, E>();
        for (var value : type.getEnumConstants()) {
            byName.put(spelling.apply(value), value);
        }
        return new Choices<>(byName);
    }

    /// These choices, with another spelling for one of them.
    public Choices<E> or(String name, E value) {
        var more = new LinkedHashMap<>(byName);
        more.put(name, value);
        return new Choices<>(more);
    }

    Optional<E> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /// The choice that was probably meant.
    Optional<String> similar(String name) {
        return Likeness.closestName(name, byName.keySet());
    }

    @Override
    public String toString() {
        return String.join(", ", byName.keySet());
    }
}
