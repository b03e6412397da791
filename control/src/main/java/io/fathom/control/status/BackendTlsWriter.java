package io.fathom.control.status;

import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.status.WriteObserver.Outcome;
import io.fathom.wire.kube.RouteManifest;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Keeps the status of BackendTLSPolicies as the mesh judges them, with the same guarantees as [StatusWriter]. For the
/// holder of [ElectionLock#GATEWAY_STATUS].
public final class BackendTlsWriter implements LeaderTask {
    private static final String KIND = "BackendTLSPolicy";
    private static final KubeResource RESOURCE =
            new KubeResource(RouteManifest.GROUP, "v1", "backendtlspolicies", KubeResource.Scope.NAMESPACE);

    private final KubeClient client;
    private final AmbientMesh mesh;
    private final InstantSource clock;
    private final WriteSettings settings;
    private final WriteObserver observer;

    private record Key(String namespace, String name) {
        @Override
        public String toString() {
            return namespace + "/" + name;
        }

        /// From `namespace/name`.
        static Key parse(String row) {
            var slash = row.indexOf('/');
            return new Key(row.substring(0, slash), row.substring(slash + 1));
        }
    }

    public BackendTlsWriter(
            KubeClient client, AmbientMesh mesh, InstantSource clock, WriteSettings settings, WriteObserver observer) {
        this.client = client;
        this.mesh = mesh;
        this.clock = clock;
        this.settings = settings;
        this.observer = observer;
    }

    @Override
    public AutoCloseable begin() {
        var queue = WriteQueue.<Key>start("backend-tls", settings, observer, _ -> KIND, this::look);
        var subscription = mesh.subscribe(commit -> queue.add(commit.changes(mesh.backendTlsPolicies()).stream()
                .map(change -> Key.parse(change.key()))
                .toList()));
        var listing = Relisting.start("backend-tls", List.of(KIND), _ -> queue.add(outdated()));
        return () -> {
            subscription.close();
            listing.close();
            queue.close();
        };
    }

    private List<Key> outdated() {
        var found = new ArrayList<Key>();
        for (var object : client.list(KubeQuery.all(RESOURCE)).items()) {
            var key = new Key(object.namespace(), object.name());
            if (plan(key, object).isPresent()) {
                found.add(key);
            }
        }
        return found;
    }

    private Outcome look(Key key) {
        var edit = client.get(RESOURCE, key.namespace(), key.name()).flatMap(object -> plan(key, object));
        if (edit.isEmpty()) {
            return Outcome.UNCHANGED;
        }
        client.applyStatus(
                RESOURCE,
                key.namespace(),
                key.name(),
                edit.get().object(),
                edit.get().manager());
        return Outcome.WRITTEN;
    }

    private Optional<StatusEdit> plan(Key key, KubeObject object) {
        var verdicts =
                mesh.cut().of(mesh.backendTlsPolicies()).find(key.toString()).orElse(List.of());
        return RoutePlan.plan(object, RoutePlan.Words.POLICY, verdicts, clock.instant());
    }
}
