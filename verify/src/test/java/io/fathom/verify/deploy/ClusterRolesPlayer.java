// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.deploy;

import io.fathom.base.lang.ProblemException;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.ObjectWatch;
import io.fathom.wire.kube.api.ObjectWatch.Change;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MergePatch;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Plays the controllers and the control plane of a cluster that has only an API server: whatever Deployment or
/// DaemonSet comes is ready at once, with a ready pod on each node, and webhooks get their authority.
public final class ClusterRolesPlayer implements AutoCloseable {
    static final String NODE = "node-1";
    private static final String NAMESPACE = "istio-system";
    private static final String MANAGER = "player";
    private static final KubeResource DEPLOYMENTS =
            new KubeResource("apps", "v1", "deployments", KubeResource.Scope.NAMESPACE);
    private static final KubeResource VALIDATORS = new KubeResource(
            "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", KubeResource.Scope.CLUSTER);

    private final KubeClient client;
    private final List<ObjectWatch> watches = new ArrayList<>();

    public ClusterRolesPlayer(KubeClient client) {
        this.client = client;
        var labels = Map.of("kubernetes.io/os", "linux");
        client.apply(KubeResource.NODES, "", NODE, object("v1", "Node", NODE, labels, Map.of()), MANAGER);
        for (var resource : List.of(DEPLOYMENTS, KubeResource.DAEMON_SETS, VALIDATORS)) {
            watches.add(client.watch(
                    KubeQuery.all(resource),
                    batch -> batch.forEach(change -> {
                        if (change instanceof Change.Put put) {
                            play(resource, put.object());
                        }
                    })));
        }
    }

    private void play(KubeResource resource, KubeObject object) {
        try {
            if (resource.equals(VALIDATORS)) {
                sign(object);
            } else {
                ready(resource, object);
            }
        } catch (ProblemException e) {
            // deleted or changed meanwhile: the watch tells of it
        }
    }

    private void ready(KubeResource resource, KubeObject object) {
        var generation =
                object.metadata().at("generation").integer(0, Integer.MAX_VALUE).orElse(0);
        var seen = object.root().at("status").at("observedGeneration").integer(0, Integer.MAX_VALUE);
        if (seen.orElse(-1) == generation) {
            return;
        }
        var status = new LinkedHashMap<String, Object>();
        status.put("observedGeneration", generation);
        if (resource.equals(DEPLOYMENTS)) {
            var replicas =
                    object.root().at("spec").at("replicas").integer(0, 100).orElse(1);
            for (var name : List.of("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")) {
                status.put(name, replicas);
            }
        } else {
            for (var name : List.of(
                    "currentNumberScheduled",
                    "desiredNumberScheduled",
                    "updatedNumberScheduled",
                    "numberReady",
                    "numberAvailable")) {
                status.put(name, 1);
            }
            status.put("numberMisscheduled", 0);
            pod(object);
        }
        client.patchStatus(resource, object.namespace(), object.name(), Json.of(Map.of("status", status)));
    }

    private void pod(KubeObject set) {
        var name = set.name() + "-x";
        var labels = set.root().at("spec").at("selector").at("matchLabels").textMap();
        var spec = Map.of("nodeName", NODE, "containers", List.of(Map.of("name", "main", "image", "none")));
        client.apply(
                KubeResource.PODS, NAMESPACE, name, object("v1", "Pod", name, labels, Map.of("spec", spec)), MANAGER);
        var condition = Map.of("type", "Ready", "status", "True");
        client.patchStatus(
                KubeResource.PODS,
                NAMESPACE,
                name,
                Json.of(Map.of("status", Map.of("phase", "Running", "conditions", List.of(condition)))));
    }

    private void sign(KubeObject configuration) {
        var hooks = configuration.root().at("webhooks").items();
        if (hooks.stream()
                .allMatch(hook -> hook.at("clientConfig").at("caBundle").isPresent())) {
            return;
        }
        var tree = (Tree.Mapping) configuration.tree();
        var signed = new ArrayList<Tree>();
        for (var hook : ((Tree.Sequence) Objects.requireNonNull(tree.entries().get("webhooks"))).items()) {
            var authority = Json.of(Map.of("clientConfig", Map.of("caBundle", "YXV0aG9yaXR5")));
            signed.add(MergePatch.apply(hook, authority));
        }
        client.patch(VALIDATORS, "", configuration.name(), Json.of(Map.of("webhooks", signed)));
    }

    static Tree object(String version, String kind, String name, Map<String, String> labels, Map<String, Object> more) {
        var metadata = Map.of("name", name, "labels", labels);
        var object =
                new LinkedHashMap<String, Object>(Map.of("apiVersion", version, "kind", kind, "metadata", metadata));
        object.putAll(more);
        return Json.of(object);
    }

    @Override
    public void close() {
        watches.forEach(ObjectWatch::close);
    }
}
