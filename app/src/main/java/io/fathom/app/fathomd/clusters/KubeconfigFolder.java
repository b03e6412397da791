// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.clusters;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.control.clusters.ApiRemote;
import io.fathom.control.clusters.ClusterClaim;
import io.fathom.control.clusters.ClusterRegistry;
import io.fathom.control.clusters.KubeconfigSettings;
import io.fathom.wire.kube.api.KubeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Kubeconfigs in a folder: the cluster of each file `*.yaml` and `*.yml` is wanted. Looked at every second on a
/// thread of its own; a file that cannot be read, or no longer, keeps what its cluster has.
public final class KubeconfigFolder implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KubeconfigFolder.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final String CLAIMANT = "kubeconfigs";

    private final Path folder;
    private final ClusterRegistry registry;
    private final KubeconfigSettings settings;
    private final Map<Path, String> clusters = new TreeMap<>(); // by file: what it was about when it could be read
    private Map<Path, String> seen = Map.of();
    private final Thread thread;

    private KubeconfigFolder(Path folder, ClusterRegistry registry, KubeconfigSettings settings) {
        this.folder = folder;
        this.registry = registry;
        this.settings = settings;
        this.thread = Thread.ofVirtual().name("kubeconfigs").unstarted(this::run);
    }

    /// Looks once, then follows.
    public static KubeconfigFolder follow(Path folder, ClusterRegistry registry, KubeconfigSettings settings) {
        var follower = new KubeconfigFolder(folder, registry, settings);
        follower.look();
        follower.thread.start();
        return follower;
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(PAUSE);
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private void look() {
        var now = new TreeMap<Path, String>();
        try (Stream<Path> files = Files.list(folder)) {
            for (var file :
                    files.filter(KubeconfigFolder::isKubeconfig).sorted().toList()) {
                now.put(file, Files.readString(file));
            }
        } catch (IOException e) {
            log.atWarn().addKeyValue("folder", folder).setCause(e).log("kubeconfigs cannot be read");
            return; // what was there may be there still
        }
        if (!now.equals(seen)) {
            seen = now;
            clusters.keySet().retainAll(now.keySet());
            registry.want(CLAIMANT, claims(now));
        }
    }

    private List<ClusterClaim> claims(Map<Path, String> files) {
        var claims = new ArrayList<ClusterClaim>();
        files.forEach((file, text) -> {
            try {
                var cluster = KubeConfig.clusterOf(file.toString(), text);
                clusters.put(file, cluster);
                claims.add(ApiRemote.claim(cluster, file.toString(), text, settings));
            } catch (ProblemException e) {
                claims.add(broken(file, e.problem()));
            }
        });
        return claims;
    }

    private ClusterClaim broken(Path file, Problem problem) {
        return new ClusterClaim.Broken(
                clusters.getOrDefault(file, String.valueOf(file.getFileName())), file.toString(), problem);
    }

    private static boolean isKubeconfig(Path file) {
        var name = file.toString();
        return (name.endsWith(".yaml") || name.endsWith(".yml")) && Files.isRegularFile(file);
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
