// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import io.fathom.base.lang.Problem;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A field of an object: its path and what stands there, possibly nothing. An explicit null is nothing, too.
///
/// Each accessor gives the value in one type, or throws a [MisreadException] that says what stands there instead and
/// what to write. Immutable.
public final class Field {
    private final @Nullable Field parent;
    private final Object step;
    private final Set<String> hidden;
    private final @Nullable Tree tree;

    private Field(@Nullable Field parent, Object step, @Nullable Tree tree) {
        this(parent, step, tree, parent == null ? Set.of() : parent.hidden);
    }

    private Field(@Nullable Field parent, Object step, @Nullable Tree tree, Set<String> hidden) {
        this.parent = parent;
        this.step = step;
        this.hidden = hidden;
        this.tree = tree instanceof Tree.Scalar scalar && scalar.kind() == Tree.ScalarType.NONE ? null : tree;
    }

    /// The whole document.
    public static Field root(Tree tree) {
        return new Field(null, "", tree);
    }

    /// A document inside a text field of another: its fields continue that field's path.
    public Field embedded(Tree document) {
        return new Field(parent, step, document);
    }

    /// The same without the parts below it that have these paths: as if they were not there, while the others keep
    /// their paths.
    public Field without(Set<String> paths) {
        return new Field(parent, step, tree, Set.copyOf(paths));
    }

    private boolean isHidden() {
        return !hidden.isEmpty() && hidden.contains(path());
    }

    public boolean isPresent() {
        return tree != null;
    }

    /// What stands there; [Json#NOTHING] when absent.
    public Tree tree() {
        return tree == null ? Json.NOTHING : tree;
    }

    public boolean isText() {
        return tree instanceof Tree.Scalar scalar && scalar.kind() == Tree.ScalarType.TEXT;
    }

    public boolean isList() {
        return tree instanceof Tree.Sequence;
    }

    /// The entry of that name; absent when this is.
    public Field at(String key) {
        var field = new Field(this, key, tree == null ? null : mapping().get(key));
        return field.isHidden() ? new Field(this, key, null) : field;
    }

    /// The items of a list; none when absent.
    public List<Field> items() {
        if (tree == null) {
            return List.of();
        }
        if (!(tree instanceof Tree.Sequence sequence)) {
            throw wrongType("a list", "write one `- item` per line");
        }
        var items = new ArrayList<Field>(sequence.items().size());
        var index = 0;
        for (var item : sequence.items()) {
            var field = new Field(this, index++, item);
            if (!field.isHidden()) {
                items.add(field);
            }
        }
        return items;
    }

    /// The entries of a map in order; none when absent.
    public Map<String, Field> entries() {
        if (tree == null) {
            return Map.of();
        }
        var entries = new LinkedHashMap<String, Field>();
        mapping().forEach((key, value) -> {
            var field = new Field(this, key, value);
            if (!field.isHidden()) {
                entries.put(key, field);
            }
        });
        return entries;
    }

    private Map<String, Tree> mapping() {
        if (tree instanceof Tree.Mapping mapping) {
            return mapping.entries();
        }
        throw wrongType("a map", "write `name: value` lines below it");
    }

    /// Empty when absent.
    public String text() {
        if (tree == null) {
            return "";
        }
        if (tree instanceof Tree.Scalar scalar) {
            if (scalar.kind() == Tree.ScalarType.TEXT) {
                return scalar.text();
            }
            throw wrongType("text", "put it in quotes: \"" + scalar.shortened() + "\"");
        }
        throw wrongType("text", "write a single value");
    }

    public String text(String fallback) {
        return tree == null ? fallback : text();
    }

    /// Text that must be there and must not be empty.
    public String requiredText() {
        var text = text();
        if (text.isEmpty()) {
            throw missing("add it");
        }
        return text;
    }

    /// The line on which the value of a text field begins in the file.
    public int bodyLine() {
        return tree instanceof Tree.Scalar scalar
                ? scalar.bodyLine()
                : position().line();
    }

    public List<String> texts() {
        return items().stream().map(Field::text).toList();
    }

    public Map<String, String> textMap() {
        var texts = new LinkedHashMap<String, String>();
        entries().forEach((key, value) -> texts.put(key, value.text()));
        return texts;
    }

    /// False when absent.
    public boolean flag() {
        return flag(Absent.MEANS_FALSE);
    }

    public boolean flag(Absent absent) {
        if (tree == null) {
            return absent == Absent.MEANS_TRUE;
        }
        if (tree instanceof Tree.Scalar scalar && scalar.kind() == Tree.ScalarType.FLAG) {
            return PlainScalar.flag(scalar.text());
        }
        throw wrongType("true or false", "write true or false, without quotes");
    }

    /// What a flag means that is not there.
    public enum Absent {
        MEANS_FALSE,
        MEANS_TRUE
    }

    /// Empty when absent; a problem unless `least <= value <= most`.
    public OptionalInt integer(int least, int most) {
        if (tree == null) {
            return OptionalInt.empty();
        }
        if (!(tree instanceof Tree.Scalar scalar) || !scalar.isWhole()) {
            throw wrongType("a whole number", "write a number from " + least + " to " + most + ", without quotes");
        }
        var value = scalar.number();
        if (!(value >= least && value <= most)) {
            throw wrong(
                    "manifest-out-of-range",
                    "is " + scalar.shortened() + ", must be from " + least + " to " + most,
                    "write a number from " + least + " to " + most);
        }
        return OptionalInt.of((int) value);
    }

    /// Empty when absent; a problem unless `least <= value <= most`.
    public OptionalDouble decimal(double least, double most) {
        if (tree == null) {
            return OptionalDouble.empty();
        }
        var wanted = "a number from " + least + " to " + most;
        if (!(tree instanceof Tree.Scalar scalar)
                || (scalar.kind() != Tree.ScalarType.INTEGER && scalar.kind() != Tree.ScalarType.DECIMAL)) {
            throw wrongType("a number", "write " + wanted + ", without quotes");
        }
        var value = PlainScalar.decimal(scalar.text());
        if (!(value >= least && value <= most)) {
            throw wrong("manifest-out-of-range", "is " + scalar.shortened() + ", must be " + wanted, "write " + wanted);
        }
        return OptionalDouble.of(value);
    }

    public int requiredInteger(int least, int most) {
        return integer(least, most).orElseThrow(() -> missing("add a number from " + least + " to " + most));
    }

    /// One of the choices; the fallback when there is none, or an empty text.
    public <E> E oneOf(Choices<E> choices, E fallback) {
        return tree == null || (isText() && text().isEmpty()) ? fallback : oneOf(choices);
    }

    /// One of the choices; must be there.
    public <E> E oneOf(Choices<E> choices) {
        if (tree == null) {
            throw missing("add one of " + choices);
        }
        var text = text();
        return choices.find(text)
                .orElseThrow(() -> wrong(
                        "manifest-unknown-value",
                        "is \"" + text + "\", must be one of " + choices,
                        choices.similar(text).map(name -> "write " + name).orElse("write one of " + choices)));
    }

    /// A time as Kubernetes writes it (RFC 3339).
    public Optional<Instant> instant() {
        if (tree == null) {
            return Optional.empty();
        }
        var text = text();
        try {
            return Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException e) {
            throw wrong(
                    "manifest-bad-value",
                    "is \"" + text + "\", which is no time",
                    "write it like 2026-01-31T12:00:00Z");
        }
    }

    /// `spec.ports[0].port`; empty for the whole document.
    public String path() {
        var text = new StringBuilder();
        appendPath(text);
        return text.toString();
    }

    private void appendPath(StringBuilder text) {
        if (parent == null) {
            return;
        }
        parent.appendPath(text);
        if (step instanceof Integer index) {
            text.append('[').append(index).append(']');
        } else {
            TreePath.appendKey(text, step.toString());
        }
    }

    /// Where the value stands; of an absent one, where what should hold it stands.
    public Position position() {
        if (tree != null) {
            return tree.at();
        }
        return parent == null ? new Position("", 0) : parent.position();
    }

    /// Where the name of this field stands, which may be above its value.
    private Position keyPosition() {
        if (parent != null && parent.tree instanceof Tree.Mapping mapping) {
            var line = mapping.keys().line(mapping.entries(), step.toString());
            if (line.isPresent()) {
                return new Position(position().file(), line.getAsInt());
            }
        }
        return position();
    }

    /// A problem with the name of this field, not with its value.
    public MisreadException misnamed(String code, String message, String fix) {
        return new MisreadException(keyPosition(), path(), Problem.ofInput(code, message, fix));
    }

    /// A problem with this field that shows on another line.
    public MisreadException onLine(int line, String code, String message, String fix) {
        return new MisreadException(new Position(position().file(), line), path(), Problem.ofInput(code, message, fix));
    }

    public MisreadException missing(String fix) {
        return wrong("manifest-missing-field", isPresent() ? "is empty" : "is missing", fix);
    }

    /// A problem with this field: something else stands there.
    public MisreadException wrongType(String wanted, String fix) {
        var actual = tree == null ? "nothing" : tree.describe();
        return wrong("manifest-wrong-type", "is " + actual + ", must be " + wanted, fix);
    }

    /// A problem with this field.
    public MisreadException wrong(String code, String message, String fix) {
        return new MisreadException(position(), path(), Problem.ofInput(code, message, fix));
    }
}
