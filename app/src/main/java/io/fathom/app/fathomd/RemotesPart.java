// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.fathomd.clusters.ClusterPages;
import io.fathom.app.fathomd.clusters.KubeconfigFolder;
import io.fathom.app.fathomd.clusters.SecretsWhenNeeded;
import io.fathom.app.fathomd.http.ControlMetrics;
import io.fathom.app.http.Pages;
import io.fathom.base.work.Parts;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.clusters.ClusterRegistry;
import io.fathom.control.clusters.RemoteSecrets;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The other clusters of the mesh: those that settings and Secrets name, each followed as long as it is named. Secrets
/// count while there are several networks. Any thread.
final class RemotesPart {
    private final FathomdConfig config;
    private final ClusterRegistry registry;
    private final Optional<SecretsWhenNeeded> secrets;
    private volatile boolean settled;

    private RemotesPart(FathomdConfig config, ClusterRegistry registry, Optional<SecretsWhenNeeded> secrets) {
        this.config = config;
        this.registry = registry;
        this.secrets = secrets;
    }

    static RemotesPart follow(
            FathomdConfig config, AmbientMesh mesh, Optional<KubeClient> client, InstantSource clock, Parts parts) {
        var registry = parts.keep(new ClusterRegistry(
                config.clusterId(), mesh.remotes(), config.remotes().patience()));
        registry.want("folders", RemoteClaims.folders(config, clock));
        var kubeconfigs = RemoteClaims.kubeconfigs(config, clock);
        config.remotes()
                .kubeconfigs()
                .ifPresent(folder -> parts.keep(KubeconfigFolder.follow(folder, registry, kubeconfigs)));
        var secrets = client.filter(_ -> config.remotes().secrets() == RemotesConfig.SecretsUse.FOLLOWED)
                .map(api -> parts.keep(SecretsWhenNeeded.follow(
                        mesh,
                        registry,
                        () -> RemoteSecrets.follow(api, config.systemNamespace(), registry, kubeconfigs))));
        return new RemotesPart(config, registry, secrets);
    }

    /// Waits as long as agreed; a cluster that does not come in time comes later.
    void await() throws InterruptedException {
        if (secrets.isPresent()) {
            secrets.get().await(config.remotes().patience());
        }
        registry.await();
        settled = true;
    }

    /// Whether they are there, or have been waited for long enough.
    boolean areSettled() {
        return settled;
    }

    List<ManifestProblem> problems() {
        var problems = new ArrayList<>(registry.problems());
        secrets.ifPresent(found -> problems.addAll(found.problems()));
        return problems;
    }

    void addTo(Pages pages, ControlMetrics metrics) {
        new ClusterPages(
                        config.clusterId(),
                        registry,
                        () -> secrets.map(SecretsWhenNeeded::events).orElse(Map.of()))
                .addTo(pages, metrics);
    }
}
