// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.schema;

import io.fathom.base.lang.Likeness;
import io.fathom.wire.kube.schema.SchemaType.ListOf;
import io.fathom.wire.kube.schema.SchemaType.ObjectOf;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// A field that its object does not have: says which one may be meant. Pure.
final class UnknownField {
    private static final int FEW = 12;
    private static final String CODE = "manifest-unknown-field";

    private UnknownField() {}

    /// Tells of it and returns the name that was probably meant; empty when there is none.
    ///
    /// @param around the objects that the field is in, outermost first
    static String of(Field field, String key, List<ObjectOf> around, Consumer<MisreadException> found) {
        var type = around.getLast();
        var meant = Likeness.closestName(key, type.properties().keySet());
        found.accept(field.misnamed(CODE, "is not a known field", fix(key, meant, type, around)));
        return meant.orElse("");
    }

    private static String fix(String key, Optional<String> meant, ObjectOf type, List<ObjectOf> around) {
        if (meant.isPresent()) {
            return "write " + meant.get() + " instead";
        }
        for (var up = around.size() - 2; up >= 0; up--) {
            if (around.get(up).properties().containsKey(key)) {
                var levels = around.size() - 1 - up;
                return "indent it less: it belongs " + (levels == 1 ? "one level" : levels + " levels") + " up";
            }
        }
        for (var property : type.properties().entrySet()) {
            if (inside(property.getValue().type())
                    .filter(object -> object.properties().containsKey(key))
                    .isPresent()) {
                return "put it below " + property.getKey();
            }
        }
        var names = type.properties().keySet();
        if (names.isEmpty()) {
            return "delete it: nothing can be written here";
        }
        return names.size() <= FEW ? "delete it; there are " + String.join(", ", names) : "delete it";
    }

    private static Optional<ObjectOf> inside(SchemaType type) {
        return switch (type) {
            case ObjectOf object -> Optional.of(object);
            case ListOf list -> inside(list.item());
            default -> Optional.empty();
        };
    }
}
