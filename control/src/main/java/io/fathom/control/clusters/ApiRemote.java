// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.clusters;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.ambient.RemoteClusters;
import io.fathom.wire.kube.api.ClusterSource;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeConfig;
import io.fathom.wire.kube.api.MeshQueries;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.time.Duration;
import java.util.List;

/// A cluster whose API server we ask.
public final class ApiRemote implements RemoteSource {
    private final KubeClient client;
    private final ClusterSource source;

    private ApiRemote(KubeClient client, ClusterSource source) {
        this.client = client;
        this.source = source;
    }

    /// @param text a kubeconfig
    public static ClusterClaim claim(String cluster, String origin, String text, KubeconfigSettings settings) {
        try {
            var server = KubeConfig.fromText(origin + "/" + cluster, text, settings.trust());
            return new ClusterClaim.Usable(
                    cluster, origin, ClusterClaim.fingerprint(text), opener(cluster, server, settings));
        } catch (ProblemException e) {
            return new ClusterClaim.Broken(cluster, origin, e.problem());
        }
    }

    private static Opener opener(String cluster, KubeConfig server, KubeconfigSettings settings) {
        var reader = settings.reader().ofCluster(cluster);
        return sink -> {
            var client = new KubeClient(server, settings.client());
            try {
                return new ApiRemote(
                        client,
                        ClusterSource.open(
                                client,
                                MeshQueries.of(reader, RemoteClusters.kinds()),
                                reader,
                                settings.clock(),
                                sink));
            } catch (RuntimeException e) {
                client.close();
                throw e;
            }
        };
    }

    @Override
    public List<ManifestProblem> problems() {
        return source.problems();
    }

    @Override
    public List<Problem> trouble() {
        return source.trouble();
    }

    @Override
    public Duration silence() {
        return source.silence();
    }

    @Override
    public void close() {
        source.close();
        client.close();
    }
}
