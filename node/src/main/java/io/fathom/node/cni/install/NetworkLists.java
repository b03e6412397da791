// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.install;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MisreadException;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/// Network configurations with and without our entry. Pure: text in, text out.
final class NetworkLists {
    private static final String TYPE = "type";
    private static final String PLUGINS = "plugins";

    private NetworkLists() {}

    /// A configuration that names at least one plugin: a map. Empty for anything else.
    static Optional<Tree.Mapping> parse(String name, String text) {
        try {
            var tree = Json.parse(name, text);
            return tree instanceof Tree.Mapping mapping && isValid(mapping) ? Optional.of(mapping) : Optional.empty();
        } catch (MisreadException e) {
            return Optional.empty();
        }
    }

    private static boolean isValid(Tree.Mapping mapping) {
        var root = Field.root(mapping);
        return root.at(PLUGINS).isPresent()
                ? !types(mapping).isEmpty() && types(mapping).stream().noneMatch(String::isEmpty)
                : !root.at(TYPE).text().isEmpty();
    }

    /// The types of all plugins, in their order.
    static List<String> types(Tree.Mapping config) {
        return plugins(config).stream()
                .map(plugin -> Field.root(plugin).at(TYPE).text())
                .toList();
    }

    private static List<Tree> plugins(Tree.Mapping config) {
        if (config.entries().get(PLUGINS) instanceof Tree.Sequence sequence) {
            return sequence.items();
        }
        return List.of(config);
    }

    /// Whether exactly one entry of ours is there, and it is as it should be.
    static boolean hasEntry(Tree.Mapping config, PluginEntry entry) {
        var ours = plugins(config).stream().filter(NetworkLists::isOurs).toList();
        return config.entries().containsKey(PLUGINS)
                && ours.size() == 1
                && Json.pretty(ours.getFirst()).equals(Json.pretty(entry.tree()));
    }

    /// The configuration with our entry last, and no other of ours. A single plugin becomes a list.
    static String insert(Tree.Mapping config, PluginEntry entry) {
        var plugins = new ArrayList<Tree>();
        var entries = new LinkedHashMap<String, Tree>();
        if (config.entries().containsKey(PLUGINS)) {
            entries.putAll(config.entries());
            plugins.addAll(others(config));
        } else {
            entries.put("name", Json.of("k8s-pod-network"));
            entries.put("cniVersion", Json.of("0.3.1"));
            var single = new LinkedHashMap<>(config.entries());
            single.remove("cniVersion"); // the list says it for all of its plugins
            plugins.add(Json.of(single));
        }
        plugins.add(entry.tree());
        entries.put(PLUGINS, Json.of(plugins));
        return Json.pretty(Json.of(entries));
    }

    /// The list without our entry.
    static String remove(Tree.Mapping config) {
        var entries = new LinkedHashMap<String, Tree>(config.entries());
        entries.put(PLUGINS, Json.of(others(config)));
        return Json.pretty(Json.of(entries));
    }

    static boolean hasAnyOfOurs(Tree.Mapping config) {
        return config.entries().containsKey(PLUGINS) && plugins(config).stream().anyMatch(NetworkLists::isOurs);
    }

    /// Our entry as a network of its own, for runtimes that chain by other means.
    static String alone(PluginEntry entry) {
        var entries = new LinkedHashMap<String, Tree>(((Tree.Mapping) entry.tree()).entries());
        entries.put("cniVersion", Json.of("0.3.1"));
        return Json.pretty(Json.of(entries));
    }

    private static List<Tree> others(Tree.Mapping config) {
        return plugins(config).stream().filter(plugin -> !isOurs(plugin)).toList();
    }

    private static boolean isOurs(Tree plugin) {
        return Field.root(plugin).at(TYPE).text().equals(PluginEntry.TYPE);
    }
}
