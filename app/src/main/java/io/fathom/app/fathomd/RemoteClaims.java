// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.fathomd.clusters.FolderRemote;
import io.fathom.control.clusters.ClusterClaim;
import io.fathom.control.clusters.KubeconfigSettings;
import io.fathom.wire.kube.ReaderConfig;
import io.fathom.wire.kube.api.KubeSettings;
import io.fathom.wire.kube.api.KubeconfigTrust;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/// Which other clusters the settings name.
final class RemoteClaims {
    private RemoteClaims() {}

    static List<ClusterClaim> folders(FathomdConfig config, InstantSource clock) {
        var claims = new ArrayList<ClusterClaim>();
        config.remotes().folders().forEach((cluster, path) -> {
            var reader = ReaderConfig.of(cluster, config.revision(), config.systemNamespace());
            claims.add(new ClusterClaim.Usable(
                    cluster, path.toString(), path.toString(), FolderRemote.opener(path, reader, clock)));
        });
        return claims;
    }

    /// How kubeconfigs that others wrote are read.
    static KubeconfigSettings kubeconfigs(FathomdConfig config, InstantSource clock) {
        return new KubeconfigSettings(
                ReaderConfig.of(config.clusterId(), config.revision(), config.systemNamespace()),
                KubeconfigTrust.only(config.remotes().insecureOptions()),
                KubeSettings.DEFAULT,
                clock);
    }
}
