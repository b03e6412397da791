// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.fathomd.clusters.ClusterPages;
import io.fathom.app.fathomd.clusters.KubeconfigFolder;
import io.fathom.app.fathomd.http.ControlMetrics;
import io.fathom.app.http.Pages;
import io.fathom.base.work.Parts;
import io.fathom.control.ambient.RemoteClusters;
import io.fathom.control.clusters.ClusterRegistry;
import io.fathom.control.clusters.RemoteSecrets;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The other clusters of the mesh: those that settings and Secrets name, each followed as long as it is named. Any
/// thread.
final class RemotesPart {
    private final FathomdConfig config;
    private final Optional<ClusterRegistry> registry;
    private final Optional<RemoteSecrets> secrets;
    private volatile boolean settled;

    private RemotesPart(FathomdConfig config, Optional<ClusterRegistry> registry, Optional<RemoteSecrets> secrets) {
        this.config = config;
        this.registry = registry;
        this.secrets = secrets;
    }

    /// @param mesh where their objects go; empty if the settings rule out other clusters
    static RemotesPart follow(
            FathomdConfig config,
            Optional<RemoteClusters> mesh,
            Optional<KubeClient> client,
            InstantSource clock,
            Parts parts) {
        var registry = mesh.map(way -> parts.keep(
                new ClusterRegistry(config.clusterId(), way, config.remotes().patience())));
        registry.ifPresent(clusters -> clusters.want("folders", RemoteClaims.folders(config, clock)));
        var kubeconfigs = RemoteClaims.kubeconfigs(config, clock);
        registry.ifPresent(clusters -> config.remotes()
                .kubeconfigs()
                .ifPresent(folder -> parts.keep(KubeconfigFolder.follow(folder, clusters, kubeconfigs))));
        var secrets = client.filter(_ -> config.remotes().secrets() == RemotesConfig.SecretsUse.FOLLOWED)
                .flatMap(api -> registry.map(clusters ->
                        parts.keep(RemoteSecrets.follow(api, config.systemNamespace(), clusters, kubeconfigs))));
        return new RemotesPart(config, registry, secrets);
    }

    /// Waits as long as agreed; a cluster that does not come in time comes later.
    void await() throws InterruptedException {
        if (secrets.isPresent()) {
            secrets.get().await(config.remotes().patience());
        }
        if (registry.isPresent()) {
            registry.get().await();
        }
        settled = true;
    }

    /// Whether they are there, or have been waited for long enough.
    boolean areSettled() {
        return settled;
    }

    List<ManifestProblem> problems() {
        var problems = new ArrayList<ManifestProblem>();
        registry.ifPresent(clusters -> problems.addAll(clusters.problems()));
        secrets.ifPresent(found -> problems.addAll(found.problems()));
        return problems;
    }

    void addTo(Pages pages, ControlMetrics metrics) {
        new ClusterPages(config.clusterId(), registry, secrets).addTo(pages, metrics);
    }
}
