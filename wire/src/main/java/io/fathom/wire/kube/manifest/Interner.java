// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Lets equal immutable values share one instance: pods by the thousand repeat namespaces, labels, nodes and ports.
///
/// Bounded: when full it forgets everything, which costs sharing with older objects and nothing else. One thread only.
public final class Interner {
    private static final int CAPACITY = 100_000;

    private final Map<Object, Object> known = new HashMap<>();

    @SuppressWarnings("unchecked") // a value maps to an equal one, of the same type by the contract below
    private <T> T canonical(T value) {
        if (known.size() >= CAPACITY) {
            known.clear();
        }
        var before = known.putIfAbsent(value, value);
        return before == null ? value : (T) before;
    }

    public String text(String text) {
        return canonical(text);
    }

    /// An immutable copy with shared keys and values, itself shared.
    public Map<String, String> map(Map<String, String> map) {
        if (known.get(map) instanceof Map<?, ?> before) {
            @SuppressWarnings("unchecked") // equal to a map of strings
            var same = (Map<String, String>) before;
            return same;
        }
        return canonical(map.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(entry -> text(entry.getKey()), entry -> text(entry.getValue()))));
    }

    /// A record without mutable parts; records of different types are never equal.
    public <T extends Record> T record(T value) {
        return canonical(value);
    }

    public <T extends Record> List<T> list(List<T> values) {
        return values.isEmpty() ? List.of() : canonical(List.copyOf(values));
    }
}
