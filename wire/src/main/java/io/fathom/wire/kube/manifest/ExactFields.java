// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.manifest;

import io.fathom.wire.kube.tree.Field;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/// Reads parts of objects that protect something, where nothing may be skipped: every key is known and says something,
/// every list that is there has items. Throws [io.fathom.wire.kube.tree.MisreadException] otherwise.
public final class ExactFields {
    /// Of every object.
    public static final Set<String> OBJECT = Set.of("apiVersion", "kind", "metadata", "spec", "status");

    private ExactFields() {}

    /// The `spec` of an object that has nothing else.
    public static Field spec(Field object, Set<String> keys) {
        checkKnown(object, OBJECT);
        checkSays(object, "spec");
        return map(object.at("spec"), keys);
    }

    /// A map with no other keys than these, each with a value; absent is fine.
    public static Field map(Field map, Set<String> keys) {
        checkKnown(map, keys);
        map.entries().keySet().forEach(key -> checkSays(map, key));
        return map;
    }

    /// A map may have these keys and no others.
    public static void checkKnown(Field map, Set<String> keys) {
        map.entries().forEach((key, value) -> {
            if (!keys.contains(key)) {
                throw value.wrong(
                        "manifest-unknown-field",
                        "is not known",
                        "write one of "
                                + String.join(", ", keys.stream().sorted().toList()));
            }
        });
    }

    /// The same; must be there.
    public static Field requiredMap(Field map, Set<String> keys) {
        if (!map.isPresent()) {
            throw map.missing("say what shall match, or delete the entry");
        }
        return map(map, keys);
    }

    /// The items of a list that, if it is there, is not empty.
    public static <T> List<T> items(Field list, Function<Field, T> item) {
        if (list.isPresent() && list.items().isEmpty()) {
            throw list.missing("delete it to match everything, or list what shall match");
        }
        return list.items().stream().map(item).toList();
    }

    private static void checkSays(Field map, String key) {
        var value = map.at(key);
        if (!value.isPresent() && map.entries().containsKey(key)) {
            throw value.wrong(
                    "manifest-missing-value", "has no value", "write a value, or delete the line if none is meant");
        }
    }
}
