// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.scenarios;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fathom.verify.client.RunningFathomd;
import io.fathom.verify.manifests.ManifestDocument;
import io.fathom.verify.peers.KubeApiServer;
import io.fathom.verify.peers.KubeKind;
import io.fathom.verify.peers.ManifestApplier;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.awaitility.Awaitility;

/// A real API server, filled with `kubectl` and emptied between scenarios.
final class ClusterStage implements Stage {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PROBE_NAMESPACE = "verify-probe";
    /// The API server publishes itself, on a port of its own choice.
    private static final Set<String> OWN = Set.of(
            "default/kubernetes.default.svc.cluster.local",
            "Kubernetes/discovery.k8s.io/EndpointSlice/default/kubernetes/172.18.0.2");

    private final KubeApiServer cluster;
    private final InstantSource clock = InstantSource.system();
    private final ManifestApplier kubectl;
    private final Map<String, ManifestDocument> objects = new LinkedHashMap<>();

    ClusterStage(KubeApiServer cluster) {
        this.cluster = cluster;
        this.kubectl = new ManifestApplier(cluster);
        apply(List.of(ManifestDocument.parse("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: %s}
                """.formatted(PROBE_NAMESPACE)).orElseThrow()));
    }

    /// Takes away all that a scenario brought; namespaces stay, as nothing would end them here.
    void clear() {
        for (var kind : KubeKind.values()) {
            if (kind != KubeKind.NAMESPACE) {
                cluster.client().list(kind).stream()
                        .filter(object -> !object.at("/metadata/name").asText().equals("kubernetes"))
                        .forEach(cluster.client()::delete);
            }
        }
        objects.clear();
    }

    void apply(List<ManifestDocument> documents) {
        var ours = documents.stream()
                .filter(document -> !document.name().equals("kubernetes"))
                .toList();
        kubectl.apply(ours);
        ours.stream()
                .filter(ClusterStage::isTerminating)
                .forEach(pod -> cluster.client().terminate(object(pod)));
        ours.forEach(document -> objects.put(document.path(), document));
    }

    /// Applies service entries one by one, each in a second of its own: that is how exactly the API server tells ages.
    void applyInTurn(List<ManifestDocument> documents) {
        var entries = documents.stream()
                .filter(document -> document.kind().equals("ServiceEntry"))
                .toList();
        apply(documents.stream().filter(document -> !entries.contains(document)).toList());
        for (var entry : entries) {
            apply(List.of(entry));
            var made = clock.instant().getEpochSecond();
            Awaitility.await().until(() -> clock.instant().getEpochSecond() > made);
        }
    }

    void delete(List<ManifestDocument> documents) {
        kubectl.delete(documents);
        documents.forEach(document -> objects.remove(document.path()));
    }

    private static boolean isTerminating(ManifestDocument document) {
        return document.content().get("metadata") instanceof Map<?, ?> metadata
                && metadata.containsKey("deletionTimestamp");
    }

    private static ObjectNode object(ManifestDocument document) {
        return JSON.valueToTree(document.content());
    }

    @Override
    public RunningFathomd start(Map<String, String> env) {
        var all = new HashMap<>(env); // addresses are written, gateways are the scenario's own
        all.put("ENABLE_LEADER_ELECTION", "false");
        all.put("PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER", "false");
        all.put("PILOT_ENABLE_GATEWAY_API_GATEWAYCLASS_CONTROLLER", "false");
        all.put("PILOT_ENABLE_GATEWAY_API_STATUS", "false");
        all.put("FATHOM_WEBHOOK_PORT", "0");
        return RunningFathomd.governing(cluster.kubeconfig(), all);
    }

    @Override
    public void probe(String manifest) {
        cluster.client().apply(object(ManifestDocument.parse(manifest).orElseThrow()));
    }

    @Override
    public Collection<ManifestDocument> objects() {
        return objects.values();
    }

    @Override
    public boolean isOwn(String name) {
        return OWN.contains(name);
    }

    @Override
    public Duration patience() {
        return Duration.ofSeconds(60);
    }
}
