// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Strategic merge patches, for the kinds that gateways are made of. Pure.
///
/// Maps are merged and null deletes, as in every merge patch. Lists of things with names, such as containers, are
/// merged item by item; other lists are replaced. `$patch: delete` in an item deletes it, `$patch: replace` puts the
/// rest in the place of a whole map or list, `$deleteFromPrimitiveList/<field>` takes values out of a list, and
/// `$retainKeys` names the fields of a map that stay. Orders (`$setElementOrder/...`) are not looked at.
final class StrategicMerge {
    private static final String PATCH = "$patch";
    private static final String RETAIN = "$retainKeys";
    private static final String DELETE_VALUES = "$deleteFromPrimitiveList/";
    private static final String ORDER = "$setElementOrder/";

    /// What tells the items of a list apart, by the name of the list.
    private static final Map<String, List<String>> KEYS = Map.ofEntries(
            Map.entry("containers", List.of("name")),
            Map.entry("initContainers", List.of("name")),
            Map.entry("env", List.of("name")),
            Map.entry("volumes", List.of("name")),
            Map.entry("imagePullSecrets", List.of("name")),
            Map.entry("secrets", List.of("name")),
            Map.entry("volumeMounts", List.of("mountPath")),
            Map.entry("volumeDevices", List.of("devicePath")),
            Map.entry("hostAliases", List.of("ip")),
            Map.entry("topologySpreadConstraints", List.of("topologyKey")),
            Map.entry("resourceClaims", List.of("name")),
            Map.entry("ownerReferences", List.of("uid")),
            // of a container, of a Service
            Map.entry("ports", List.of("containerPort", "port", "name")));

    private StrategicMerge() {}

    static Tree apply(Tree target, Tree patch) {
        return merge(target, patch, "");
    }

    private static Tree merge(Tree target, Tree patch, String field) {
        if (patch instanceof Tree.Mapping changes) {
            return mergeMaps(target, changes);
        }
        if (patch instanceof Tree.Sequence changes) {
            var keys = KEYS.getOrDefault(field, List.of());
            return keys.isEmpty() ? changes : mergeLists(target, changes, keys);
        }
        return patch;
    }

    private static Tree mergeMaps(Tree target, Tree.Mapping patch) {
        var before = target instanceof Tree.Mapping mapping ? mapping.entries() : Map.<String, Tree>of();
        var entries = new LinkedHashMap<String, Tree>();
        if (!directive(patch).equals("replace")) {
            entries.putAll(before);
        }
        patch.entries().forEach((name, change) -> {
            if (name.startsWith(DELETE_VALUES)) {
                var list = name.substring(DELETE_VALUES.length());
                entries.computeIfPresent(list, (_, values) -> without(values, change));
            } else if (isNone(change) || isDeletion(change)) {
                entries.remove(name);
            } else if (!name.equals(PATCH) && !name.equals(RETAIN) && !name.startsWith(ORDER)) {
                var old = entries.get(name);
                entries.put(name, merge(old == null ? nothing(change) : old, change, name));
            }
        });
        if (patch.entries().get(RETAIN) instanceof Tree.Sequence retained) {
            var names = retained.items().stream().map(StrategicMerge::text).toList();
            entries.keySet().retainAll(names);
        }
        return new Tree.Mapping(target.at(), entries);
    }

    private static Tree mergeLists(Tree target, Tree.Sequence patch, List<String> keys) {
        var replaces = patch.items().stream()
                .anyMatch(item ->
                        directive(item).equals("replace") && keyOf(item, keys).isEmpty());
        var items = new ArrayList<Tree>();
        if (target instanceof Tree.Sequence before && !replaces) {
            items.addAll(before.items());
        }
        for (var change : patch.items()) {
            var key = keyOf(change, keys);
            if (key.isEmpty()) {
                if (!(change instanceof Tree.Mapping mapping
                        && mapping.entries().containsKey(PATCH))) {
                    items.add(change);
                }
                continue;
            }
            var at = indexOf(items, key.get());
            if (isDeletion(change)) {
                if (at >= 0) {
                    items.remove(at);
                }
            } else if (at >= 0) {
                items.set(at, merge(items.get(at), change, ""));
            } else {
                items.add(merge(nothing(change), change, ""));
            }
        }
        return new Tree.Sequence(patch.at(), items);
    }

    /// The field that names an item, and its value.
    private record Key(String field, String value) {}

    private static Optional<Key> keyOf(Tree item, List<String> keys) {
        return keys.stream()
                .filter(key -> item instanceof Tree.Mapping mapping
                        && mapping.entries().get(key) instanceof Tree.Scalar)
                .map(key -> new Key(key, value(item, key)))
                .findFirst();
    }

    private static int indexOf(List<Tree> items, Key key) {
        for (var i = 0; i < items.size(); i++) {
            if (value(items.get(i), key.field()).equals(key.value())) {
                return i;
            }
        }
        return -1;
    }

    private static String value(Tree item, String key) {
        return item instanceof Tree.Mapping mapping && mapping.entries().get(key) instanceof Tree.Scalar scalar
                ? scalar.text()
                : "";
    }

    private static Tree without(Tree values, Tree unwanted) {
        if (!(values instanceof Tree.Sequence list) || !(unwanted instanceof Tree.Sequence others)) {
            return values;
        }
        var texts = others.items().stream().map(StrategicMerge::text).toList();
        return new Tree.Sequence(
                list.at(),
                list.items().stream()
                        .filter(item -> !texts.contains(text(item)))
                        .toList());
    }

    private static String text(Tree tree) {
        return tree instanceof Tree.Scalar scalar ? scalar.text() : "";
    }

    private static String directive(Tree tree) {
        return value(tree, PATCH);
    }

    private static boolean isDeletion(Tree tree) {
        return directive(tree).equals("delete");
    }

    private static boolean isNone(Tree tree) {
        return tree instanceof Tree.Scalar scalar && scalar.kind() == Tree.ScalarType.NONE;
    }

    private static Tree nothing(Tree like) {
        return like instanceof Tree.Sequence
                ? new Tree.Sequence(like.at(), List.of())
                : new Tree.Mapping(like.at(), new LinkedHashMap<>());
    }
}
