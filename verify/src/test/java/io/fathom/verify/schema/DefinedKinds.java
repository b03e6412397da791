// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.schema;

import io.fathom.wire.kube.tree.Document;
import io.fathom.wire.kube.tree.Documents;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// Schemas of custom resource definitions as lines of the schema data. Rules in CEL are left out, except those that say
/// how many of some fields there may be, from where to where a number goes, and how short a duration may be.
final class DefinedKinds {
    private static final Limits LIMITS = new Limits(200, 10_000_000);
    private static final Pattern COUNTED = Pattern.compile("\\(has\\(self\\.(\\w+)\\) \\? 1 : 0\\)( \\+ )?");
    private static final Pattern NOT_BOTH = Pattern.compile("!\\(has\\(self\\.(\\w+)\\) && has\\(self\\.(\\w+)\\)\\)");
    private static final Pattern EITHER = Pattern.compile("has\\(self\\.(\\w+)\\) != has\\(self\\.(\\w+)\\)");
    private static final Pattern AT_LEAST = Pattern.compile("has\\(self\\.(\\w+)\\) \\|\\| has\\(self\\.(\\w+)\\)");

    private static final String SERVICE_PORT =
            "(size(self.group) == 0 && self.kind == 'Service') ? has(self.port) : true";

    private final TypeTable types;

    DefinedKinds(TypeTable types) {
        this.types = types;
    }

    /// The kinds of a file of definitions: `kind group Kind version type` for each version served.
    List<String> read(Path file) throws IOException {
        var kinds = new ArrayList<String>();
        for (var document : Documents.ofYaml(file.toString(), Files.readString(file), LIMITS)) {
            if (!(document instanceof Document.Parsed(var root))) {
                throw new IllegalStateException(file + " cannot be parsed: " + document);
            }
            var spec = Field.root(root).at("spec");
            var group = spec.at("group").requiredText();
            var kind = spec.at("names").at("kind").requiredText();
            for (var version : spec.at("versions").items()) {
                if (version.at("served").flag()) {
                    var name =
                            group.substring(0, group.indexOf('.')) + (group.contains(".x-") ? "-x" : "") + "." + kind;
                    var schema = version.at("schema").at("openAPIV3Schema");
                    kinds.add("kind %s %s %s %s"
                            .formatted(group, kind, version.at("name").requiredText(), object(schema, name, true)));
                }
            }
        }
        return kinds;
    }

    private String value(Field schema, String path) {
        var nullable = schema.at("nullable").flag() ? " null" : "";
        if (schema.at("x-kubernetes-int-or-string").flag()) {
            return "intOrText" + nullable;
        }
        return switch (schema.at("type").text()) {
            case "object" -> map(schema, path) + nullable;
            case "array" ->
                "list" + nullable + range("size", schema.at("minItems"), schema.at("maxItems")) + keys(schema) + " "
                        + value(schema.at("items"), path);
            case "string" -> "text" + nullable + text(schema);
            case "integer" -> "int" + nullable + number(schema);
            case "number" -> "number" + nullable + number(schema);
            case "boolean" -> "flag" + nullable;
            default -> "any";
        };
    }

    private String map(Field schema, String path) {
        var size = range("size", schema.at("minProperties"), schema.at("maxProperties"));
        var open = schema.at("x-kubernetes-preserve-unknown-fields").flag();
        if (schema.at("additionalProperties").isPresent()) {
            return "map" + size + " " + value(schema.at("additionalProperties"), path);
        }
        return open && !schema.at("properties").isPresent() ? "map" + size + " any" : "@" + object(schema, path, false);
    }

    private String object(Field schema, String path, boolean root) {
        var lines = new ArrayList<String>();
        if (schema.at("x-kubernetes-preserve-unknown-fields").flag()) {
            lines.add("+open");
        }
        groups(schema).forEach((fields, how) -> lines.add("+" + how + " " + fields));
        if (rules(schema).contains(SERVICE_PORT)) {
            lines.add("+needs port group: kind:Service");
        }
        var required = schema.at("required").texts();
        if (root) {
            lines.addAll(List.of("apiVersion text", "kind text", "metadata @ObjectMeta"));
        }
        schema.at("properties").entries().forEach((name, property) -> {
            if (root && List.of("apiVersion", "kind", "metadata").contains(name)) {
                return;
            }
            var must = required.contains(name) && !property.at("default").isPresent();
            var value = root && name.equals("status") ? "any" : value(property, path + "." + name);
            lines.add((must ? "!" : "") + name + " " + value);
        });
        return types.add(path, lines);
    }

    /// Which fields exclude each other, or of which there must be one.
    private static Map<String, String> groups(Field schema) {
        var groups = new LinkedHashMap<String, String>();
        oneOf(schema.at("oneOf"), groups);
        schema.at("allOf").items().forEach(part -> oneOf(part.at("oneOf"), groups));
        for (var rule : rules(schema)) {
            var counted = COUNTED.matcher(rule);
            if (rule.endsWith(" <= 1") && counted.replaceAll("").equals(" <= 1")) {
                groups.put(
                        String.join(
                                " ",
                                counted.reset()
                                        .results()
                                        .map(one -> one.group(1))
                                        .toList()),
                        "atMostOne");
            }
            for (var form : Map.of(NOT_BOTH, "atMostOne", EITHER, "exactlyOne", AT_LEAST, "atLeastOne")
                    .entrySet()) {
                var pair = form.getKey().matcher(rule);
                if (pair.matches()) {
                    groups.put(pair.group(1) + " " + pair.group(2), form.getValue());
                }
            }
        }
        return new TreeMap<>(groups);
    }

    private static void oneOf(Field oneOf, Map<String, String> groups) {
        var fields = new ArrayList<String>();
        var none = false;
        for (var option : oneOf.items()) {
            if (option.at("not").isPresent()) {
                none = true;
            } else if (option.at("required").texts().size() == 1) {
                fields.add(option.at("required").texts().getFirst());
            } else {
                return; // says something else
            }
        }
        if (fields.size() > 1) {
            groups.putIfAbsent(String.join(" ", fields), none ? "atMostOne" : "exactlyOne");
        }
    }

    private static List<String> rules(Field schema) {
        return schema.at("x-kubernetes-validations").items().stream()
                .map(rule -> rule.at("rule").text())
                .toList();
    }

    private static String keys(Field list) {
        if (list.at("x-kubernetes-list-type").text().equals("set")) {
            return " set";
        }
        if (!list.at("x-kubernetes-list-type").text().equals("map")) {
            return "";
        }
        var properties = list.at("items").at("properties");
        var keys = list.at("x-kubernetes-list-map-keys").texts().stream()
                .map(key -> {
                    var fallback = properties.at(key).at("default");
                    return fallback.isText() ? key + ":" + fallback.text() : key;
                })
                .toList();
        return " keys=" + String.join(",", keys);
    }

    private static String text(Field schema) {
        var options = new StringBuilder(range("len", schema.at("minLength"), schema.at("maxLength")));
        if (schema.at("enum").isPresent()) {
            options.append(" enum=").append(String.join("|", schema.at("enum").texts()));
        }
        if (schema.at("pattern").isPresent()) {
            options.append(" re=").append(schema.at("pattern").text().replace(" ", "\\x20"));
        }
        if (schema.at("format").text().equals("date-time")) {
            options.append(" time");
        }
        if (schema.at("format").text().equals("byte")) {
            options.append(" base64");
        }
        if (rules(schema).contains("duration(self) >= duration('1ms')")) {
            options.append(" duration");
        }
        return options.toString();
    }

    private static String number(Field schema) {
        if (rules(schema).contains("0 < self && self <= 65535")) {
            return " in=1..65535";
        }
        return range("in", schema.at("minimum"), schema.at("maximum"));
    }

    private static String range(String name, Field least, Field most) {
        return least.isPresent() || most.isPresent() ? " " + name + "=" + plain(least) + ".." + plain(most) : "";
    }

    private static String plain(Field number) {
        return number.isPresent()
                ? String.valueOf(
                        (long) number.decimal(Long.MIN_VALUE, Long.MAX_VALUE).orElseThrow())
                : "";
    }
}
