// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.fathom.base.lang.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// Trees from JSON text or from plain values, and JSON text from trees.
public final class Json {
    /// A null, which in a merge patch takes a field away.
    public static final Tree NOTHING = new Tree.Scalar(new Position("", 0), Tree.ScalarType.NONE, "null", 0);

    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
    private static final Position NOWHERE = new Position("", 0);

    private Json() {}

    /// The one value that `text` holds.
    ///
    /// @param name of the text, for messages
    /// @throws MisreadException when it is not JSON, or more than one value
    public static Tree parse(String name, String text) {
        var documents = Documents.ofJson(name, text, Limits.DEFAULT);
        if (documents.size() == 1 && documents.getFirst() instanceof Document.Parsed parsed) {
            return parsed.root();
        }
        for (var document : documents) {
            if (document instanceof Document.Broken broken) {
                throw broken.cause();
            }
        }
        var problem = Problem.ofInput(
                "json-not-one-value",
                documents.isEmpty() ? "is empty" : "holds several values",
                "write one JSON value");
        throw new MisreadException(new Position(name, 1), "", problem);
    }

    /// A tree of maps with text keys, lists, text, numbers, true and false; trees stand for themselves.
    public static Tree of(Object value) {
        // Not a switch over types: that costs the CNI plugin, which starts for each pod, 20 ms.
        if (value instanceof Tree tree) {
            return tree;
        }
        if (value instanceof Map<?, ?> entries) {
            var trees = new LinkedHashMap<String, Tree>();
            entries.forEach((key, entry) -> trees.put((String) key, of(entry)));
            return new Tree.Mapping(NOWHERE, trees);
        }
        if (value instanceof List<?> items) {
            return new Tree.Sequence(NOWHERE, items.stream().map(Json::of).toList());
        }
        if (value instanceof String text) {
            return scalar(Tree.ScalarType.TEXT, text);
        }
        if (value instanceof Boolean) {
            return scalar(Tree.ScalarType.FLAG, value.toString());
        }
        if (value instanceof Integer || value instanceof Long) {
            return scalar(Tree.ScalarType.INTEGER, value.toString());
        }
        if (value instanceof Double) {
            return scalar(Tree.ScalarType.DECIMAL, value.toString());
        }
        throw new IllegalArgumentException("JSON has no " + value.getClass());
    }

    /// On one line, entries in the order of the tree.
    public static String compact(Tree tree) {
        var text = new StringBuilder();
        write(text, tree, "", "", false);
        return text.toString();
    }

    /// For people: entries sorted by name, indented by two spaces, with a newline at the end.
    public static String pretty(Tree tree) {
        var text = new StringBuilder();
        write(text, tree, "\n", "  ", true);
        return text.append('\n').toString();
    }

    private static Tree scalar(Tree.ScalarType kind, String text) {
        return new Tree.Scalar(NOWHERE, kind, text, 0);
    }

    private static void write(StringBuilder text, Tree tree, String newline, String indent, boolean sorted) {
        if (tree instanceof Tree.Scalar scalar) {
            write(text, scalar);
        } else if (tree instanceof Tree.Sequence sequence) {
            var separator = "[";
            for (var item : sequence.items()) {
                text.append(separator).append(newline).append(indent);
                write(text, item, newline + indent, indent, sorted);
                separator = ",";
            }
            text.append(sequence.items().isEmpty() ? "[" : newline).append(']');
        } else if (tree instanceof Tree.Mapping mapping) {
            var separator = "{";
            var entries = sorted ? sorted(mapping) : mapping.entries();
            for (var entry : entries.entrySet()) {
                text.append(separator).append(newline).append(indent);
                quote(text, entry.getKey());
                text.append(indent.isEmpty() ? ":" : ": ");
                write(text, entry.getValue(), newline + indent, indent, sorted);
                separator = ",";
            }
            text.append(entries.isEmpty() ? "{" : newline).append('}');
        }
    }

    private static SortedMap<String, Tree> sorted(Tree.Mapping mapping) {
        return new TreeMap<>(mapping.entries());
    }

    private static void write(StringBuilder text, Tree.Scalar scalar) {
        switch (scalar.kind()) {
            case NONE -> text.append("null");
            case FLAG -> text.append(PlainScalar.flag(scalar.text()));
            case INTEGER, DECIMAL -> {
                if (NUMBER.matcher(scalar.text()).matches()) {
                    text.append(scalar.text());
                } else if (PlainScalar.integer(scalar.text()).isPresent()) {
                    text.append(PlainScalar.integer(scalar.text()).getAsLong()); // 0x1f and the like of YAML
                } else {
                    quote(text, scalar.text());
                }
            }
            case TEXT -> quote(text, scalar.text());
        }
    }

    private static void quote(StringBuilder text, String value) {
        text.append('"')
                .append(JsonStringEncoder.getInstance().quoteAsString(value))
                .append('"');
    }
}
