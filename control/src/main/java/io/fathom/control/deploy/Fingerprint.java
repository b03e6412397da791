// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MergePatch;
import io.fathom.wire.kube.tree.Tree;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/// Tells whether somebody changed an object, without keeping it: equal for objects that differ in their status and in
/// the API server's own notes only.
record Fingerprint(UUID value) {
    private static final Tree NOTES = Json.parse("notes", """
            {"status": null,
             "metadata": {"managedFields": null, "resourceVersion": null, "generation": null}}
            """);

    static Fingerprint of(KubeObject object) {
        return of(MergePatch.apply(object.tree(), NOTES));
    }

    static Fingerprint of(Tree tree) {
        return new Fingerprint(UUID.nameUUIDFromBytes(Json.compact(tree).getBytes(StandardCharsets.UTF_8)));
    }
}
