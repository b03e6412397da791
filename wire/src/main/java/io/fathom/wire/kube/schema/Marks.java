// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.schema;

import io.fathom.base.lang.Likeness;
import io.fathom.base.lang.Truth;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The labels and annotations that Istio and Fathom know, and their values. Immutable.
final class Marks {
    private static final String UNKNOWN = "manifest-unknown-mark";
    private static final String ALL_OF_DOMAIN = "*";

    private final Map<String, List<String>> labels = new HashMap<>();
    private final Map<String, List<String>> annotations = new HashMap<>();

    Marks(String schema) {
        schema.lines().takeWhile(line -> !line.startsWith("type ")).forEach(line -> {
            var words = line.split(" ", -1);
            var values = words.length > 2 ? values(words[2]) : List.<String>of();
            switch (words[0]) {
                case "label" -> labels.put(words[1], values);
                case "annotation" -> annotations.put(words[1], values);
                default -> {}
            }
        });
    }

    private static List<String> values(String text) {
        return text.equals("bool") ? Truth.SPELLINGS : List.of(text.split("\\|", -1));
    }

    /// What nobody knows; things that the API server does not even store are not told.
    List<MisreadException> check(Field metadata) {
        var found = new ArrayList<MisreadException>();
        check(metadata, "labels", "label", labels, annotations, found);
        check(metadata, "annotations", "annotation", annotations, labels, found);
        return found;
    }

    private static void check(
            Field metadata,
            String part,
            String noun,
            Map<String, List<String>> known,
            Map<String, List<String>> others,
            List<MisreadException> found) {
        if (!(metadata.tree() instanceof Tree.Mapping mapping)
                || !(mapping.entries().get(part) instanceof Tree.Mapping marks)) {
            return;
        }
        marks.entries().forEach((name, value) -> {
            if (isOurs(name) && value instanceof Tree.Scalar scalar && !isKnown(name, scalar.text(), known)) {
                found.add(unknown(metadata.at(part).at(name), name, scalar.text(), noun, known, others));
            }
        });
    }

    private static boolean isOurs(String name) {
        var slash = name.indexOf('/');
        if (slash < 0) {
            return false;
        }
        var domain = name.substring(0, slash);
        return isIn(domain, "istio.io") || isIn(domain, "fathom.io");
    }

    private static boolean isIn(String domain, String parent) {
        return domain.endsWith(parent)
                && (domain.length() == parent.length() || domain.charAt(domain.length() - parent.length() - 1) == '.');
    }

    private static boolean isKnown(String name, String value, Map<String, List<String>> known) {
        var values = known.get(name);
        if (values == null) {
            return known.containsKey(name.substring(0, name.indexOf('/') + 1) + ALL_OF_DOMAIN);
        }
        return values.isEmpty() || values.contains(value);
    }

    private static MisreadException unknown(
            Field field,
            String name,
            String value,
            String noun,
            Map<String, List<String>> known,
            Map<String, List<String>> others) {
        var values = known.get(name);
        if (values != null) {
            var choices = String.join(", ", values);
            return field.wrong(
                    UNKNOWN,
                    "is \"" + value + "\", which has no effect",
                    Likeness.closestName(value, values)
                            .or(() -> Optional.of("true").filter(_ -> values.equals(Truth.SPELLINGS)))
                            .map(close -> "write \"" + close + "\"")
                            .orElse(values.size() == 1 ? "write \"" + choices + "\"" : "write one of " + choices));
        }
        if (others.containsKey(name)) {
            var other = noun.equals("label") ? "annotation" : "label";
            return field.misnamed(UNKNOWN, "is no " + noun + ", so it has no effect", "write it as " + article(other));
        }
        return field.misnamed(
                UNKNOWN,
                "is no known " + noun + ", so it has no effect",
                closest(name, known).map(close -> "write " + close).orElse("delete it, or check its spelling"));
    }

    private static Optional<String> closest(String name, Map<String, List<String>> known) {
        var names = known.keySet().stream().sorted().toList();
        return Likeness.closestName(name, names);
    }

    private static String article(String noun) {
        return (noun.startsWith("a") ? "an " : "a ") + noun;
    }
}
