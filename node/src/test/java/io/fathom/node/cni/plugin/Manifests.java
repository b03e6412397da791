// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.plugin;

import io.fathom.wire.kube.ManifestReader;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.Reading;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.tree.Json;
import java.time.Instant;

/// Objects from text, as an API server would give them.
final class Manifests {
    private Manifests() {}

    static PodLookup.Found found(String pod, String namespace) {
        return new PodLookup.Found(read(PodManifest.class, pod), read(NamespaceManifest.class, namespace));
    }

    private static <M> M read(Class<M> type, String text) {
        var reader = new ManifestReader(ReaderConfig.of("", "", "istio-system").ofApiServer());
        var reading = reader.read(Json.parse("test", text), _ -> Instant.EPOCH).getFirst();
        return type.cast(((Reading.Good) reading).manifest());
    }
}
