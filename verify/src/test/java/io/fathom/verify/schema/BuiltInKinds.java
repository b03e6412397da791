// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.schema;

import io.fathom.wire.kube.tree.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The kinds that Kubernetes has built in, from its OpenAPI document. That document tells names and types; what else is
/// checked of them is among the additions.
final class BuiltInKinds {
    /// Groups of which every kind is known by name.
    private static final List<String> GROUPS = List.of("", "apps", "batch", "discovery.k8s.io");

    /// Kinds of which every field is known.
    private static final Set<String> WHOLE = Set.of(
            " Pod",
            " Service",
            " Namespace",
            " Node",
            " ConfigMap",
            " Secret",
            " ServiceAccount",
            "apps Deployment",
            "apps StatefulSet",
            "apps DaemonSet",
            "discovery.k8s.io EndpointSlice");

    private final Field definitions;
    private final Additions additions;
    private final TypeTable types;
    private final Map<String, String> begun = new HashMap<>();

    BuiltInKinds(Field document, Additions additions, TypeTable types) {
        this.definitions = document.at("definitions");
        this.additions = additions;
        this.types = types;
    }

    /// `kind group Kind version type`, with a dash for a kind of which only the name is known.
    List<String> read() {
        var kinds = new TreeSet<String>();
        object("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
        definitions.entries().forEach((name, definition) -> {
            var served = definition.at("x-kubernetes-group-version-kind").items();
            if (served.size() != 1) {
                return; // requests and answers, which every group has
            }
            var group = served.getFirst().at("group").text();
            var kind = served.getFirst().at("kind").text();
            if (GROUPS.contains(group) && !kind.endsWith("List")) {
                var whole = WHOLE.contains(group + " " + kind);
                kinds.add("kind %s %s %s %s"
                        .formatted(
                                group.isEmpty() ? "core" : group,
                                kind,
                                served.getFirst().at("version").text(),
                                whole ? object(name) : "-"));
            }
        });
        return new ArrayList<>(kinds);
    }

    private String value(Field schema, String property) {
        var reference = schema.at("$ref").text();
        if (!reference.isEmpty()) {
            return named(reference.substring(reference.lastIndexOf('/') + 1));
        }
        return switch (schema.at("type").text()) {
            case "object" ->
                schema.at("additionalProperties").isPresent()
                        ? "map " + value(schema.at("additionalProperties"), property)
                        : "map any";
            case "array" -> "list " + value(schema.at("items"), property);
            case "string" -> schema.at("format").text().equals("byte") ? "text base64" : "text";
            case "integer" -> schema.at("format").text().equals("int32") ? "int in=-2147483648..2147483647" : "int";
            case "number" -> "number";
            case "boolean" -> "flag";
            default -> "any";
        };
    }

    private String named(String definition) {
        var schema = definitions.at(definition);
        if (definition.endsWith(".Quantity")) {
            return "quantity";
        }
        if (schema.at("format").text().equals("int-or-string")) {
            return "intOrText";
        }
        if (schema.at("format").text().equals("date-time")) {
            return "text time";
        }
        return schema.at("properties").isPresent() ? "@" + object(definition) : value(schema, definition);
    }

    private String object(String definition) {
        var name = definition.substring(definition.lastIndexOf('.') + 1);
        var known = begun.get(definition);
        if (known != null) {
            return known;
        }
        var lines = new ArrayList<>(List.of("+go"));
        definitions.at(definition).at("properties").entries().forEach((property, schema) -> {
            var must = additions.isRequired(name, property) ? "!" : "";
            var value = additions.value(name, property).orElseGet(() -> value(schema, property));
            lines.add(must + property + " " + value);
        });
        var shared = types.add(name, lines);
        begun.put(definition, shared);
        return shared;
    }
}
