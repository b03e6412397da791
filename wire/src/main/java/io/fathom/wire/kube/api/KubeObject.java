// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.LinkedHashMap;

/// An object as the API server gave it: always with `apiVersion` and `kind`. Immutable.
public record KubeObject(Tree tree) {
    /// Items of a list do not say what they are; the list does.
    static KubeObject ofItem(Tree item, String apiVersion, String kind) {
        if (!(item instanceof Tree.Mapping mapping) || mapping.entries().containsKey("kind")) {
            return new KubeObject(item);
        }
        var entries = new LinkedHashMap<String, Tree>();
        entries.put("apiVersion", Json.of(apiVersion));
        entries.put("kind", Json.of(kind));
        entries.putAll(mapping.entries());
        return new KubeObject(new Tree.Mapping(mapping.at(), entries));
    }

    /// The same, of another kind.
    KubeObject as(String apiVersion, String kind) {
        if (!(tree instanceof Tree.Mapping mapping)) {
            return this;
        }
        var entries = new LinkedHashMap<>(mapping.entries());
        entries.put("apiVersion", Json.of(apiVersion));
        entries.put("kind", Json.of(kind));
        return new KubeObject(new Tree.Mapping(mapping.at(), entries));
    }

    /// To read it by fields.
    public Field root() {
        return Field.root(tree);
    }

    public Field metadata() {
        return root().at("metadata");
    }

    public String kind() {
        return root().at("kind").text();
    }

    public String name() {
        return metadata().at("name").text();
    }

    /// Empty for objects of the cluster.
    public String namespace() {
        return metadata().at("namespace").text();
    }

    public String uid() {
        return metadata().at("uid").text();
    }

    public String resourceVersion() {
        return metadata().at("resourceVersion").text();
    }

    /// Whether it waits for its end.
    public boolean isDeleting() {
        return metadata().at("deletionTimestamp").isPresent();
    }
}
