// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.cni;

import io.fathom.base.work.Parts;
import io.fathom.node.cni.enrol.RedirectionNotes;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeSettings;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// How the agent hears of pods and tells of them: by an API server, or by folders.
///
/// @param client of the API server, if there is one
record PodAccess(CniConfig config, Optional<KubeClient> client, InstantSource clock) {
    static PodAccess of(CniConfig config, InstantSource clock, Parts parts) {
        var client = config.source().kube().map(kube -> parts.keep(new KubeClient(kube, KubeSettings.DEFAULT)));
        return new PodAccess(config, client, clock);
    }

    RedirectionNotes notes() {
        return client.<RedirectionNotes>map(ClusterNotes::new)
                .orElseGet(() -> new FolderNotes(config.source().manifests()));
    }

    PodSource open(Consumer<List<ManifestChange>> sink) {
        return client.<PodSource>map(api -> ClusterPods.open(api, config, clock, sink))
                .orElseGet(() -> FolderPods.open(
                        config.source().manifests(), config.source().systemNamespace(), clock, sink));
    }
}
