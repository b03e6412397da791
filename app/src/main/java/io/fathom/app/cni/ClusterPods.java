// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.api.ClusterSource;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;

/// The pods of one node, and all namespaces, as an API server tells them.
record ClusterPods(ClusterSource source) implements PodSource {
    static ClusterPods open(
            KubeClient client, CniConfig config, InstantSource clock, Consumer<List<ManifestChange>> sink) {
        var queries = List.of(
                KubeQuery.all(KubeResource.PODS).withFields("spec.nodeName=" + config.node()),
                KubeQuery.all(KubeResource.NAMESPACES));
        var reader = ReaderConfig.of("Kubernetes", "", config.source().systemNamespace());
        return new ClusterPods(ClusterSource.open(client, queries, reader, clock, sink));
    }

    @Override
    public void close() {
        source.close();
    }
}
