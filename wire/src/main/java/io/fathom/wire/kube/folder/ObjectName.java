// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.folder;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Tree;
import java.util.Locale;

/// Names an object among those of [ObjectFiles].
///
/// @param kind such as `Pod`
/// @param namespace empty for what has none
public record ObjectName(String kind, String namespace, String name) {
    public ObjectName {
        if (kind.isEmpty() || name.isEmpty()) {
            throw new IllegalArgumentException("an object needs a kind and a name");
        }
        if ((kind + namespace + name).matches(".*[/_\\x00].*")) {
            throw new IllegalArgumentException("no name of an object: " + kind + " " + namespace + " " + name);
        }
    }

    static ObjectName of(Tree object) {
        var root = Field.root(object);
        var metadata = root.at("metadata");
        return new ObjectName(
                root.at("kind").requiredText(),
                metadata.at("namespace").text(),
                metadata.at("name").requiredText());
    }

    /// Underscores are in no name of Kubernetes, so two objects never share a file.
    String file() {
        return kind.toLowerCase(Locale.ROOT) + "_" + namespace + "_" + name + ".yaml";
    }
}
