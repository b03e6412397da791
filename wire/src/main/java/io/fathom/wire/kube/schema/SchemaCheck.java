// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.schema;

import io.fathom.wire.kube.schema.SchemaType.ObjectOf;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// Compares one object with its schema and finds all mistakes. Used once, by one thread.
///
/// Walks the bare tree: a [Field] with its path is made for mistakes only.
final class SchemaCheck {
    /// What a field with nothing after the colon is in objects of definitions. The API server refuses it, but kubectl
    /// leaves it out before it asks.
    enum Nulls {
        MISTAKE,
        NOTHING
    }

    private final Field root;
    private final Nulls nulls;
    private final List<Object> path = new ArrayList<>();
    private final List<ObjectOf> around = new ArrayList<>();
    private final List<MisreadException> mistakes = new ArrayList<>();

    private SchemaCheck(Field root, Nulls nulls) {
        this.root = root;
        this.nulls = nulls;
    }

    static List<MisreadException> mistakes(ObjectOf type, Field object, Nulls nulls) {
        var check = new SchemaCheck(object, nulls);
        check.value(type, object.tree(), check.isLax(type));
        check.mistakes.sort(Comparator.comparingInt(mistake -> mistake.at().line()));
        return check.mistakes;
    }

    /// @param lax whether a null is as good as nothing
    private void value(SchemaType type, Tree tree, boolean lax) {
        if (tree instanceof Tree.Scalar scalar && scalar.kind() == Tree.ScalarType.NONE) {
            if (!lax && !type.isNullable()) {
                var here = here();
                found(here.misnamed("manifest-missing-field", "is empty", "write a value, or delete it"));
            }
            return;
        }
        switch (type) {
            case SchemaType.Any _ -> {}
            case ObjectOf object -> object(object, tree);
            case SchemaType.MapOf map -> map(map, tree, lax);
            case SchemaType.ListOf list -> list(list, tree);
            case SchemaType.Text text ->
                ScalarCheck.text(text, tree, around.getLast().builtIn(), this::here, this::found);
            case SchemaType.Numeric number -> ScalarCheck.number(number, tree, this::here, this::found);
            case SchemaType.Flag _ -> ScalarCheck.flag(tree, this::here, this::found);
            case SchemaType.IntOrText _ -> ScalarCheck.intOrText(tree, this::here, this::found);
            case SchemaType.Quantity _ -> ScalarCheck.quantity(tree, this::here, this::found);
        }
    }

    private boolean isLax(ObjectOf type) {
        return type.builtIn() || nulls == Nulls.NOTHING;
    }

    private void object(ObjectOf type, Tree tree) {
        if (!(tree instanceof Tree.Mapping mapping)) {
            wrongType(Field::entries);
            return;
        }
        around.add(type);
        var meant = new HashSet<String>();
        mapping.entries().forEach((key, entry) -> {
            var property = type.properties().get(key);
            path.add(key);
            if (property != null) {
                value(property.type(), entry, isLax(type));
            } else if (!type.extensible()) {
                meant.add(UnknownField.of(here(), key, around, this::found));
            }
            path.removeLast();
        });
        twice(mapping);
        for (var entry : type.properties().entrySet()) {
            if (entry.getValue().required() && !meant.contains(entry.getKey())) {
                required(entry.getKey(), mapping, type.builtIn());
            }
        }
        type.groups().forEach(group -> group(group, mapping, meant));
        type.needs().forEach(need -> need(need, mapping, meant));
        around.removeLast();
    }

    private void required(String key, Tree.Mapping mapping, boolean lax) {
        var value = mapping.entries().get(key);
        var told = value != null && isNull(value) && !lax && nulls == Nulls.MISTAKE;
        var isThere = value != null && !isNull(value) && !(lax && isEmpty(value));
        if (!isThere && !told) {
            found(here().at(key).missing("add it"));
        }
    }

    private void twice(Tree.Mapping mapping) {
        for (var again : mapping.keys().twice()) {
            found(here().at(again.key())
                    .onLine(
                            again.line(),
                            "manifest-duplicate-key",
                            "is written twice, first on line " + again.firstLine(),
                            "keep one of the two"));
        }
    }

    private void group(SchemaType.SchemaGroup group, Tree.Mapping mapping, Set<String> meant) {
        var present = group.fields().stream()
                .filter(key -> mapping.entries().containsKey(key))
                .toList();
        if (present.size() > group.most()) {
            var others = String.join(", ", present.subList(1, present.size()));
            found(here().at(present.getFirst())
                    .misnamed("manifest-conflict", "cannot be used together with " + others, "keep one of them"));
        } else if (present.size() < group.least() && group.fields().stream().noneMatch(meant::contains)) {
            var names = String.join(" or ", group.fields());
            found(here().wrong("manifest-missing-field", "needs " + names, "add " + names));
        }
    }

    private void need(SchemaType.Need need, Tree.Mapping mapping, Set<String> meant) {
        var applies = need.when().entrySet().stream().allMatch(condition -> {
            var value = mapping.entries().get(condition.getKey());
            return value == null
                    || (value instanceof Tree.Scalar scalar && scalar.text().equals(condition.getValue()));
        });
        if (applies && !mapping.entries().containsKey(need.field()) && !meant.contains(need.field())) {
            found(here().at(need.field()).missing("add it"));
        }
    }

    private void map(SchemaType.MapOf type, Tree tree, boolean lax) {
        if (!(tree instanceof Tree.Mapping mapping)) {
            wrongType(Field::entries);
            return;
        }
        size(type.size(), mapping.entries().size(), "entries");
        twice(mapping);
        mapping.entries().forEach((key, entry) -> {
            path.add(key);
            value(type.value(), entry, lax);
            path.removeLast();
        });
    }

    private void list(SchemaType.ListOf type, Tree tree) {
        if (!(tree instanceof Tree.Sequence sequence)) {
            wrongType(Field::items);
            return;
        }
        size(type.size(), sequence.items().size(), "items");
        for (var i = 0; i < sequence.items().size(); i++) {
            path.add(i);
            value(type.item(), sequence.items().get(i), around.getLast().builtIn());
            path.removeLast();
        }
        unique(type, sequence);
    }

    private void unique(SchemaType.ListOf type, Tree.Sequence sequence) {
        if (type.unique() == SchemaType.Unique.NO || sequence.items().size() < 2) {
            return;
        }
        Map<String, Integer> known = new HashMap<>();
        for (var i = 0; i < sequence.items().size(); i++) {
            var identity = identity(type, sequence.items().get(i));
            var twin = known.putIfAbsent(identity, i);
            if (twin != null) {
                path.add(i);
                var keys = String.join(" and ", type.keys().keySet());
                found(here().wrong(
                                "manifest-duplicate-item",
                                keys.isEmpty() ? "is the same as item " + twin : "has the " + keys + " of item " + twin,
                                keys.isEmpty() ? "delete one of the two" : "give each a " + keys + " of its own"));
                path.removeLast();
            }
        }
    }

    private static String identity(SchemaType.ListOf type, Tree item) {
        if (type.unique() == SchemaType.Unique.ITEMS || !(item instanceof Tree.Mapping mapping)) {
            return Json.compact(item);
        }
        var identity = new StringBuilder();
        type.keys().forEach((key, fallback) -> {
            var value = mapping.entries().get(key);
            identity.append(
                            value == null
                                    ? fallback
                                    : value instanceof Tree.Scalar one ? one.text() : Json.compact(value))
                    .append('\n');
        });
        return identity.toString();
    }

    private void size(Range size, int actual, String what) {
        if (size.contains(actual)) {
            return;
        }
        found(
                actual == 0
                        ? here().missing("add one, or delete it")
                        : here().wrong(
                                        "manifest-out-of-range",
                                        "has " + actual + " " + what + ", must have " + size,
                                        actual < size.least() ? "add some" : "delete some, or split the object"));
    }

    private static boolean isNull(Tree tree) {
        return tree instanceof Tree.Scalar scalar && scalar.kind() == Tree.ScalarType.NONE;
    }

    private static boolean isEmpty(Tree tree) {
        return switch (tree) {
            case Tree.Scalar scalar -> scalar.text().isEmpty();
            case Tree.Sequence sequence -> sequence.items().isEmpty();
            case Tree.Mapping _ -> false;
        };
    }

    /// In the words of the accessor that a reader would use.
    private void wrongType(Consumer<Field> accessor) {
        ScalarCheck.tell(here(), accessor, this::found);
    }

    private Field here() {
        var field = root;
        for (var step : path) {
            field = step instanceof Integer index ? field.items().get(index) : field.at(step.toString());
        }
        return field;
    }

    private void found(MisreadException mistake) {
        mistakes.add(mistake);
    }
}
