// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.security;

import io.fathom.wire.kube.manifest.ExactFields;
import io.fathom.wire.kube.manifest.Mistakes;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/// An object with mistakes, looked at part by part: which of them can be trusted. A part can if no mistake is known in
/// it and it reads without one. Pure; the list of mistakes need not be complete.
final class DamagedParts {
    private final Mistakes mistakes;
    private final Set<String> keys;
    private final Field object;
    private final Field spec;
    private final boolean lost;

    /// @param keys that the `spec` of its kind has
    DamagedParts(Field object, Mistakes mistakes, Set<String> keys) {
        this.mistakes = mistakes;
        this.keys = keys;
        this.object = object;
        this.spec = object.at("spec");
        this.lost = (object.entries().containsKey("spec") ? !isMap(spec) : hasUnknownAbove())
                || mistakes.all().stream().anyMatch(mistake -> !isPlaced(mistake));
    }

    /// Whether nothing can be said about the object: it has no readable `spec`, or a mistake that is in no part of it.
    boolean isLost() {
        return lost;
    }

    private boolean hasUnknownAbove() {
        return object.entries().keySet().stream().anyMatch(key -> !ExactFields.OBJECT.contains(key));
    }

    private static boolean isMap(Field field) {
        return field.tree() instanceof Tree.Mapping;
    }

    /// Whether it is known which part a mistake is in.
    private boolean isPlaced(MisreadException mistake) {
        var only = new Mistakes(List.of(mistake));
        var above = object.entries().keySet().stream().filter(key -> !key.equals("spec"));
        var parts = Stream.concat(keys.stream(), entries().keySet().stream());
        return above.anyMatch(key -> only.touch(object.at(key)))
                || (isMap(spec) && parts.anyMatch(key -> only.touch(spec.at(key))));
    }

    /// Whether the key is written, possibly without a value.
    boolean has(String key) {
        return entries().containsKey(key);
    }

    /// Keys that nobody knows.
    boolean hasUnknown() {
        return hasUnknownAbove() || entries().keySet().stream().anyMatch(key -> !keys.contains(key));
    }

    /// Whether a map or list that is not written may be there all the same: under a key that nobody knows, or behind
    /// the end of what is left of the object.
    boolean mayLack() {
        return hasUnknown() || isCutOff();
    }

    /// Whether the last key of all has no value, as at the end of a file that was not written to its end.
    boolean isCutOff() {
        return isCutOff(object.tree());
    }

    /// The same for a single value.
    boolean mayLackScalar() {
        return isCutOff()
                || Stream.concat(unknown(object.entries(), ExactFields.OBJECT), unknown(entries(), keys))
                        .anyMatch(value -> value.tree() instanceof Tree.Scalar);
    }

    private static Stream<Field> unknown(Map<String, Field> entries, Set<String> known) {
        return entries.entrySet().stream()
                .filter(entry -> !known.contains(entry.getKey()))
                .map(Map.Entry::getValue);
    }

    private static boolean isCutOff(Tree tree) {
        return switch (tree) {
            case Tree.Scalar scalar -> scalar.kind() == Tree.ScalarType.NONE;
            case Tree.Sequence sequence ->
                !sequence.items().isEmpty() && isCutOff(sequence.items().getLast());
            case Tree.Mapping mapping -> {
                Tree last = null;
                for (var value : mapping.entries().values()) {
                    last = value;
                }
                yield last != null && isCutOff(last);
            }
        };
    }

    private Map<String, Field> entries() {
        return isMap(spec) ? spec.entries() : Map.of();
    }

    /// Whether labels, annotations or the age of the object cannot be trusted.
    boolean hasDoubtfulMetadata() {
        return mistakes.touch(object.at("metadata"));
    }

    /// What a part says, if it can be trusted.
    <T> Optional<T> read(Field part, Function<Field, T> reader) {
        if (mistakes.touch(part)) {
            return Optional.empty();
        }
        try {
            return Optional.of(reader.apply(part));
        } catch (MisreadException _) {
            return Optional.empty();
        }
    }
}
