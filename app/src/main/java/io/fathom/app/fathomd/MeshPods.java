// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.base.flow.Change;
import io.fathom.base.flow.Commit;
import io.fathom.base.flow.PersistentMap;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ca.PodDirectory;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// The pods of the mesh as the certificate authority looks at them. Follows the mesh on the thread that changes it;
/// [#now()] is an immutable view for any thread.
final class MeshPods implements Consumer<Commit> {
    private static final String GATEWAY = "gateway.istio.io/managed";

    private final AmbientMesh mesh;
    private final String cluster;
    private volatile View view;

    MeshPods(AmbientMesh mesh, String cluster) {
        this.mesh = mesh;
        this.cluster = cluster;
        this.view = new View(cluster, PersistentMap.empty(), PersistentMap.empty());
    }

    @Override
    public void accept(Commit commit) {
        var running = view.running();
        for (var change : commit.changes(mesh.pods())) {
            running = switch (change) {
                case Change.Added<ObjectKey, PodManifest> added -> counted(running, added.after(), 1);
                case Change.Updated<ObjectKey, PodManifest> updated ->
                    counted(counted(running, updated.before(), -1), updated.after(), 1);
                case Change.Removed<ObjectKey, PodManifest> removed -> counted(running, removed.before(), -1);
            };
        }
        view = new View(cluster, commit.cut().of(mesh.pods()), running);
    }

    private static PersistentMap<AccountNode, Integer> counted(
            PersistentMap<AccountNode, Integer> running, PodManifest pod, int difference) {
        if (pod.phase() == PodManifest.Phase.FAILED || pod.node().isEmpty()) {
            return running;
        }
        var place = new AccountNode(pod.node(), pod.key().namespace(), pod.serviceAccount());
        var before = running.get(place);
        var after = (before == null ? 0 : before) + difference;
        return after == 0 ? running.without(place) : running.with(place, after);
    }

    View now() {
        return view;
    }

    /// Where pods of an account run.
    record AccountNode(String node, String namespace, String serviceAccount) {}

    /// @param running how many pods there are at each place that has some
    record View(String cluster, PersistentMap<ObjectKey, PodManifest> pods, PersistentMap<AccountNode, Integer> running)
            implements PodDirectory {
        @Override
        public Optional<Pod> pod(String namespace, String name) {
            return Optional.ofNullable(pods.get(new ObjectKey(cluster, namespace, name)))
                    .map(View::known);
        }

        @Override
        public boolean runs(String node, String namespace, String serviceAccount) {
            return running.get(new AccountNode(node, namespace, serviceAccount)) != null;
        }

        /// Whether it is the proxy of a Gateway, which orders a certificate for itself.
        boolean isGateway(ObjectKey key) {
            var pod = pods.get(key);
            return pod != null && pod.metadata().labels().containsKey(GATEWAY);
        }

        void forEach(BiConsumer<ObjectKey, Pod> consumer) {
            pods.forEach((key, pod) -> consumer.accept(key, known(pod)));
        }

        private static Pod known(PodManifest pod) {
            return new Pod(uid(pod), pod.serviceAccount(), pod.node());
        }

        /// A pod in a folder of manifests need not have one: then its name and age stand for it.
        private static String uid(PodManifest pod) {
            if (!pod.metadata().uid().isEmpty()) {
                return pod.metadata().uid();
            }
            var text = pod.key() + "@" + pod.metadata().created();
            return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
        }
    }
}
