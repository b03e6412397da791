// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.schema;

import io.fathom.wire.kube.schema.SchemaType.Form;
import io.fathom.wire.kube.schema.SchemaType.Need;
import io.fathom.wire.kube.schema.SchemaType.ObjectOf;
import io.fathom.wire.kube.schema.SchemaType.Property;
import io.fathom.wire.kube.schema.SchemaType.SchemaGroup;
import io.fathom.wire.kube.schema.SchemaType.Unique;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Reads types from the schema data, each when it is first asked for. Guarded by itself.
///
/// A type is a line `type NAME` and one line for each field, after a space: `name VALUE`, with `!` before the name of
/// one that must be there. `+go` says that the type is built in, `+open` that it may have other fields, `+atMostOne a
/// b` and the like how many of these fields there may be, `+needs c a:1 b:` that there must be a c where a is 1 and b
/// empty, or absent. A VALUE is
///
/// - `text`, `int`, `number`, `flag`, `intOrText`, `quantity` or `any`,
/// - `@NAME` for another type,
/// - `list VALUE` or `map VALUE`,
///
/// with options after the first word: `null`, `len=1..63`, `in=1..65535`, `size=..16`, `enum=A|B`, `re=PATTERN`,
/// `time`, `base64`, `duration`, `set`, `keys=name,protocol:TCP`.
final class SchemaText {
    private final String text;
    private final Map<String, ObjectOf> types = new HashMap<>();

    SchemaText(String text) {
        this.text = text;
    }

    synchronized ObjectOf type(String name) {
        var known = types.get(name);
        if (known != null) {
            return known;
        }
        var head = "\ntype " + name + "\n";
        var start = text.indexOf(head);
        if (start < 0) {
            throw new IllegalStateException("the schema data has no type " + name);
        }
        var properties = new LinkedHashMap<String, Property>();
        var groups = new ArrayList<SchemaGroup>();
        var needs = new ArrayList<Need>();
        var extensible = false;
        var builtIn = false;
        for (var line = start + head.length(); line < text.length() && text.charAt(line) == ' '; ) {
            var end = text.indexOf('\n', line);
            var words =
                    new ArrayDeque<>(Arrays.asList(text.substring(line + 1, end).split(" ", -1)));
            var first = words.remove();
            switch (first) {
                case "+go" -> builtIn = true;
                case "+open" -> extensible = true;
                case "+needs" -> needs.add(new Need(words.remove(), pairs(words)));
                case "+atMostOne" -> groups.add(new SchemaGroup(0, 1, List.copyOf(words)));
                case "+exactlyOne" -> groups.add(new SchemaGroup(1, 1, List.copyOf(words)));
                case "+atLeastOne" -> groups.add(new SchemaGroup(1, Integer.MAX_VALUE, List.copyOf(words)));
                default -> {
                    var required = first.startsWith("!");
                    properties.put(
                            (required ? first.substring(1) : first).intern(), new Property(required, value(words)));
                }
            }
            line = end + 1;
        }
        var type = new ObjectOf(false, extensible, builtIn, properties, List.copyOf(groups), List.copyOf(needs));
        types.put(name, type);
        return type;
    }

    private SchemaType value(Deque<String> words) {
        var word = words.remove();
        if (word.startsWith("@")) {
            var type = type(word.substring(1));
            return words.remove("null") ? type.nullable() : type;
        }
        var options = options(words);
        var nullable = options.containsKey("null");
        var size = Range.parse(options.getOrDefault("size", ".."));
        return switch (word) {
            case "any" -> new SchemaType.Any();
            case "flag" -> new SchemaType.Flag(nullable);
            case "intOrText" -> new SchemaType.IntOrText(nullable);
            case "quantity" -> new SchemaType.Quantity();
            case "int", "number" ->
                new SchemaType.Numeric(nullable, word.equals("int"), Range.parse(options.getOrDefault("in", "..")));
            case "text" ->
                new SchemaType.Text(
                        nullable,
                        Range.parse(options.getOrDefault("len", "..")),
                        options.containsKey("enum")
                                ? List.of(options.getOrDefault("enum", "").split("\\|", -1))
                                : List.of(),
                        Optional.ofNullable(options.get("re")).map(Pattern::compile),
                        form(options));
            case "list" -> new SchemaType.ListOf(nullable, size, unique(options), keys(options), value(words));
            case "map" -> new SchemaType.MapOf(nullable, size, value(words));
            default -> throw new IllegalStateException("the schema data has a value " + word);
        };
    }

    /// Takes the options off that stand before the next value.
    private static Map<String, String> options(Deque<String> words) {
        var options = new HashMap<String, String>();
        while (!words.isEmpty() && isOption(words.getFirst())) {
            var option = words.remove();
            var equals = option.indexOf('=');
            options.put(equals < 0 ? option : option.substring(0, equals), option.substring(equals + 1));
        }
        return options;
    }

    private static boolean isOption(String word) {
        return switch (word) {
            case "null", "time", "base64", "duration", "set" -> true;
            default -> word.matches("(len|in|size|enum|re|keys)=.*");
        };
    }

    private static Form form(Map<String, String> options) {
        if (options.containsKey("time")) {
            return Form.TIME;
        }
        if (options.containsKey("base64")) {
            return Form.BASE64;
        }
        return options.containsKey("duration") ? Form.DURATION : Form.ANY;
    }

    private static Unique unique(Map<String, String> options) {
        if (options.containsKey("set")) {
            return Unique.ITEMS;
        }
        return options.containsKey("keys") ? Unique.KEYS : Unique.NO;
    }

    private static Map<String, String> keys(Map<String, String> options) {
        return options.containsKey("keys")
                ? pairs(List.of(options.getOrDefault("keys", "").split(",", -1)))
                : Map.of();
    }

    /// `name:value` each; nothing where there is no value.
    private static Map<String, String> pairs(Collection<String> words) {
        var pairs = new LinkedHashMap<String, String>();
        for (var word : words) {
            var colon = word.indexOf(':');
            pairs.put(colon < 0 ? word : word.substring(0, colon), colon < 0 ? "" : word.substring(colon + 1));
        }
        return pairs;
    }
}
