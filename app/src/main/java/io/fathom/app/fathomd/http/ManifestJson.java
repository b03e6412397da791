// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import io.fathom.app.http.JsonOut;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.Metadata;

/// A manifest in the shape of the object it was read from: what the mesh reads of it, under the names it has here.
/// Pure.
final class ManifestJson {
    private ManifestJson() {}

    static void manifest(JsonOut json, Manifest manifest) {
        var metadata = manifest.metadata();
        json.text("kind", manifest.getClass().getSimpleName().replace("Manifest", ""))
                .object("metadata", it -> metadata(it, metadata));
        if (manifest instanceof Record record) {
            json.object("spec", it -> RecordJson.fields(it, record, "metadata"));
        }
    }

    private static void metadata(JsonOut json, Metadata metadata) {
        json.text("name", metadata.key().name())
                .text("namespace", metadata.key().namespace())
                .text("cluster", metadata.key().cluster())
                .text("uid", metadata.uid())
                .text("creationTimestamp", metadata.created().toString())
                .flag("terminating", metadata.lifecycle() == Metadata.Lifecycle.TERMINATING)
                .texts("labels", metadata.labels())
                .texts("annotations", metadata.annotations());
    }
}
