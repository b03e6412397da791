package io.fathom.wire.kube.tree;

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

    /// A choice that differs only in upper and lower case, dashes or underscores.
    Optional<String> similar(String name) {
        return byName.keySet().stream()
                .filter(choice -> letters(choice).equalsIgnoreCase(letters(name)))
                .findFirst();
    }

    private static String letters(String name) {
        return name.replace("-", "").replace("_", "");
    }

    @Override
    public String toString() {
        return String.join(", ", byName.keySet());
    }
}
