// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.flow.Commit;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.status.WriteObserver.WriteResult;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.ObjectWatch.Change;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes the taint off nodes whose node agent is ready: whoever makes a node taints it, so that no pod starts there
/// uncaptured. For the holder of [ElectionLock#NODE_UNTAINT]. Other taints stay.
///
/// It follows nodes by itself, and keeps the names of those that are tainted: the mesh knows no more than their
/// metadata, as whole nodes are large and few clusters want this.
public final class NodeUntainter implements LeaderTask {
    private static final Logger log = LoggerFactory.getLogger(NodeUntainter.class);
    private static final String KIND = "Node/taints";
    private static final String LABEL = "k8s-app";
    private static final String AGENT = "istio-cni-node";

    private final StatusDesk desk;
    private final KubeClient client;
    private final AmbientMesh mesh;
    private final AgentTaint task;

    /// What to look for.
    ///
    /// @param namespace where the pods of node agents are
    /// @param taint its key
    public record AgentTaint(String namespace, String taint) {}

    public NodeUntainter(StatusDesk desk, AgentTaint task) {
        this.desk = desk;
        this.client = desk.client();
        this.mesh = desk.mesh();
        this.task = task;
    }

    @Override
    public AutoCloseable begin() {
        Set<String> tainted = ConcurrentHashMap.newKeySet(); // names of nodes
        var queue = WriteQueue.<String>start("untaint", desk, _ -> KIND, this::look);
        var subscription = mesh.subscribe(commit -> queue.add(readied(commit, tainted)));
        var watch = client.watch(KubeQuery.all(KubeResource.NODES), batch -> queue.add(changed(batch, tainted)));
        return () -> {
            watch.close();
            subscription.close();
            queue.close();
        };
    }

    /// On the thread of the mesh: quick.
    private Set<String> readied(Commit commit, Set<String> tainted) {
        var nodes = new HashSet<String>();
        for (var change : commit.changes(mesh.pods())) {
            commit.cut()
                    .of(mesh.pods())
                    .find(change.key())
                    .filter(this::isReadyAgent)
                    .ifPresent(pod -> nodes.add(pod.node()));
        }
        nodes.retainAll(tainted);
        return nodes;
    }

    /// On the thread of the watch. What is tainted is noted before pods are looked at, so that of a node and its agent
    /// whoever comes last finds the other.
    private Set<String> changed(List<Change> batch, Set<String> tainted) {
        var nodes = new HashSet<String>();
        for (var change : batch) {
            switch (change) {
                case Change.Put(var node) when isTainted(node) -> nodes.add(node.name());
                case Change.Put(var node) -> tainted.remove(node.name());
                case Change.Remove gone -> tainted.remove(gone.name());
            }
        }
        tainted.addAll(nodes);
        if (!nodes.isEmpty()) {
            var ready = new HashSet<String>();
            forEachAgent(pod -> ready.add(pod.node()));
            nodes.retainAll(ready);
        }
        return nodes;
    }

    private WriteResult look(String name) {
        var ready = new HashSet<String>();
        forEachAgent(pod -> ready.add(pod.node()));
        var patch = ready.contains(name)
                ? client.get(KubeResource.NODES, "", name).flatMap(this::untainted)
                : Optional.<Tree>empty();
        if (patch.isEmpty()) {
            return WriteResult.UNCHANGED;
        }
        client.patch(KubeResource.NODES, "", name, patch.get());
        log.atInfo()
                .addKeyValue("node", name)
                .addKeyValue("taint", task.taint())
                .log("the node agent is ready: the taint is taken off");
        return WriteResult.WRITTEN;
    }

    /// Empty if it has not got the taint any more. The version makes the server refuse this once anybody has changed
    /// the node in between.
    private Optional<Tree> untainted(KubeObject node) {
        if (!isTainted(node)) {
            return Optional.empty();
        }
        var others = taints(node).stream()
                .filter(taint -> !isOurs(taint))
                .map(Field::tree)
                .toList();
        return Optional.of(Json.of(Map.of(
                "metadata", Map.of("resourceVersion", node.resourceVersion()), "spec", Map.of("taints", others))));
    }

    private void forEachAgent(Consumer<PodManifest> ready) {
        mesh.cut().of(mesh.pods()).forEach((_, pod) -> {
            if (isReadyAgent(pod)) {
                ready.accept(pod);
            }
        });
    }

    private boolean isReadyAgent(PodManifest pod) {
        return pod.ready()
                && pod.key().cluster().equals(desk.cluster())
                && pod.key().namespace().equals(task.namespace())
                && AGENT.equals(pod.labels().get(LABEL));
    }

    private boolean isTainted(KubeObject node) {
        return taints(node).stream().anyMatch(this::isOurs);
    }

    private boolean isOurs(Field taint) {
        return taint.at("key").text().equals(task.taint());
    }

    private static List<Field> taints(KubeObject node) {
        return node.root().at("spec").at("taints").items();
    }
}
