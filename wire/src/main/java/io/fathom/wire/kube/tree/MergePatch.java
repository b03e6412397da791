// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.tree;

import java.util.LinkedHashMap;

/// JSON merge patches (RFC 7386): maps are merged, null deletes, anything else replaces. Pure.
public final class MergePatch {
    private MergePatch() {}

    public static Tree apply(Tree target, Tree patch) {
        if (!(patch instanceof Tree.Mapping changes)) {
            return patch;
        }
        var entries = new LinkedHashMap<String, Tree>();
        if (target instanceof Tree.Mapping before) {
            entries.putAll(before.entries());
        }
        changes.entries().forEach((key, change) -> {
            if (isNone(change)) {
                entries.remove(key);
            } else {
                var old = entries.getOrDefault(key, new Tree.Mapping(change.at(), new LinkedHashMap<>()));
                entries.put(key, apply(old, change));
            }
        });
        return new Tree.Mapping(target.at(), entries);
    }

    private static boolean isNone(Tree tree) {
        return tree instanceof Tree.Scalar scalar && scalar.kind() == Tree.ScalarType.NONE;
    }
}
