// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.interop;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.manifests.ManifestFolder;
import io.fathom.verify.peers.KubeClient;
import io.fathom.verify.peers.KubeKind;
import java.util.ArrayList;

/// Copies what an API server holds into a folder of manifests, one object per file.
final class ClusterMirror {
    private final KubeClient cluster;
    private final ManifestFolder folder;

    ClusterMirror(KubeClient cluster, ManifestFolder folder) {
        this.cluster = cluster;
        this.folder = folder;
    }

    /// Makes the folder equal to the cluster.
    void refresh() {
        var documents = new ArrayList<ManifestDocument>();
        for (var kind : KubeKind.values()) {
            for (var object : cluster.list(kind)) {
                ((ObjectNode) object.get("metadata")).remove("managedFields");
                documents.add(ManifestDocument.of(object));
            }
        }
        folder.become(documents);
    }
}
