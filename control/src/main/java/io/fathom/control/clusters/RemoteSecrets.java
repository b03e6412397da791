// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.clusters;

import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.ObjectWatch;
import io.fathom.wire.kube.manifest.ManifestProblem;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/// Follows the Secrets that name other clusters: those of the system namespace with label
/// `istio/multiCluster=true`, each key the id of a cluster, each value a kubeconfig. What they say is wanted;
/// [ClusterRegistry] does the rest.
public final class RemoteSecrets implements AutoCloseable {
    public static final String LABEL = "istio/multiCluster";
    /// What it calls itself to the registry.
    public static final String CLAIMANT = "secrets";

    private final String namespace;
    private final ClusterRegistry registry;
    private final KubeconfigSettings settings;
    private final Map<String, Map<String, String>> bySecret = new TreeMap<>(); // confined to the watch
    private final Map<String, LongAdder> events = new ConcurrentHashMap<>();
    private final CountDownLatch read = new CountDownLatch(1);
    private final ObjectWatch watch;

    private RemoteSecrets(KubeClient client, String namespace, ClusterRegistry registry, KubeconfigSettings settings) {
        this.namespace = namespace;
        this.registry = registry;
        this.settings = settings;
        this.watch = client.watch(
                KubeQuery.all(KubeResource.SECRETS).inNamespace(namespace).withLabels(LABEL + "=true"), this::changed);
    }

    /// Begins at once.
    ///
    /// @param namespace where the Secrets are
    public static RemoteSecrets follow(
            KubeClient client, String namespace, ClusterRegistry registry, KubeconfigSettings settings) {
        return new RemoteSecrets(client, namespace, registry, settings);
    }

    /// Waits until all Secrets were seen once, not longer than that.
    public void await(Duration patience) throws InterruptedException {
        var _ = read.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// How many Secrets were added, changed and deleted, by upstream's words.
    public Map<List<String>, Integer> events() {
        var counts = new HashMap<List<String>, Integer>();
        events.forEach((event, count) -> counts.put(List.of(event), count.intValue()));
        return counts;
    }

    /// Why the Secrets are not known at the moment.
    public List<ManifestProblem> problems() {
        return watch.trouble().stream()
                .map(problem -> new ManifestProblem("", 0, "Secrets of namespace " + namespace, "", problem))
                .toList();
    }

    private void changed(List<ObjectWatch.Change> batch) {
        for (var change : batch) {
            switch (change) {
                case ObjectWatch.Change.Put put -> {
                    var before = bySecret.put(put.object().name(), kubeconfigs(put.object()));
                    count(before == null ? "add" : "update");
                }
                case ObjectWatch.Change.Remove gone -> {
                    bySecret.remove(gone.name());
                    count("delete");
                }
            }
        }
        registry.want(CLAIMANT, claims());
        read.countDown();
    }

    private void count(String event) {
        events.computeIfAbsent(event, _ -> new LongAdder()).increment();
    }

    private List<ClusterClaim> claims() {
        var claims = new ArrayList<ClusterClaim>();
        bySecret.forEach((name, clusters) -> clusters.forEach(
                (cluster, text) -> claims.add(ApiRemote.claim(cluster, namespace + "/" + name, text, settings))));
        return claims;
    }

    /// By cluster. What is not in base64 is as good as empty: no kubeconfig.
    private static Map<String, String> kubeconfigs(KubeObject secret) {
        var result = new TreeMap<String, String>();
        secret.root().at("data").entries().forEach((cluster, value) -> {
            try {
                var bytes = Base64.getDecoder().decode(value.text());
                result.put(cluster, new String(bytes, StandardCharsets.UTF_8));
            } catch (IllegalArgumentException e) {
                result.put(cluster, "");
            }
        });
        return result;
    }

    @Override
    public void close() {
        watch.close();
    }
}
