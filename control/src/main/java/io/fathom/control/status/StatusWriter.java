package io.fathom.control.status;

import io.fathom.base.flow.Change;
import io.fathom.base.flow.Commit;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.Condition;
import io.fathom.control.ambient.ObjectStatus;
import io.fathom.control.status.WriteObserver.Outcome;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Keeps the conditions of objects in the cluster as the mesh has them. For the holder of [ElectionLock#STATUS].
///
/// A term begins with a list of each kind: whatever holds other conditions than it should, also such as an earlier
/// leader left behind, is put right. From then on, an object is looked at when what we say about it changes. Each look
/// reads the object first and writes only if that makes a difference. Nothing of what the cluster holds is kept in
/// memory, and our own writes change nothing that we read.
public final class StatusWriter implements LeaderTask {
    private final KubeClient client;
    private final AmbientMesh mesh;
    private final String cluster;
    private final InstantSource clock;
    private final WriteSettings settings;
    private final WriteObserver observer;

    /// @param cluster the id of the cluster that the client talks to
    public StatusWriter(
            KubeClient client,
            AmbientMesh mesh,
            String cluster,
            InstantSource clock,
            WriteSettings settings,
            WriteObserver observer) {
        this.client = client;
        this.mesh = mesh;
        this.cluster = cluster;
        this.clock = clock;
        this.settings = settings;
        this.observer = observer;
    }

    @Override
    public AutoCloseable begin() {
        var queue = WriteQueue.<StatusKey>start(
                "status", settings, observer, key -> key.kind().text(), this::look);
        var subscription = mesh.subscribe(commit -> queue.add(changed(commit)));
        var listing = Relisting.start("status", List.of(StatusKind.values()), kind -> queue.add(outdated(kind)));
        return () -> {
            subscription.close();
            listing.close();
            queue.close();
        };
    }

    /// On the thread of the mesh: quick.
    private List<StatusKey> changed(Commit commit) {
        var rows = commit.changes(mesh.statuses()).stream().flatMap(change -> StatusKey.parse(change.key()).stream());
        // Conditions of policies say which generation they are about.
        var policies = Stream.concat(
                present(StatusKind.AUTHORIZATION_POLICY, commit.changes(mesh.authorizationPolicies())),
                present(StatusKind.REQUEST_AUTHENTICATION, commit.changes(mesh.requestAuthentications())));
        return Stream.concat(rows, policies).toList();
    }

    private static <V> Stream<StatusKey> present(StatusKind kind, List<Change<ObjectKey, V>> changes) {
        return changes.stream()
                .filter(change -> change.current().isPresent())
                .map(change -> new StatusKey(
                        kind, change.key().namespace(), change.key().name()));
    }

    private List<StatusKey> outdated(StatusKind kind) {
        var found = new ArrayList<StatusKey>();
        for (var object : client.list(KubeQuery.all(kind.resource())).items()) {
            var key = new StatusKey(kind, object.namespace(), object.name());
            if (isOurs(key)
                    && ConditionPlan.plan(kind, object, wanted(key), clock.instant())
                            .isPresent()) {
                found.add(key);
            }
        }
        return found;
    }

    private Outcome look(StatusKey key) {
        var kind = key.kind();
        var object = client.get(kind.resource(), key.namespace(), key.name());
        var edit = object.filter(_ -> isOurs(key)).flatMap(held -> plan(key, held));
        if (edit.isEmpty()) {
            return Outcome.UNCHANGED;
        }
        client.applyStatus(
                kind.resource(),
                key.namespace(),
                key.name(),
                edit.get().object(),
                edit.get().manager());
        return Outcome.WRITTEN;
    }

    private Optional<StatusEdit> plan(StatusKey key, KubeObject held) {
        return ConditionPlan.plan(key.kind(), held, wanted(key), clock.instant());
    }

    /// Objects of another revision are that one's affair.
    private boolean isOurs(StatusKey key) {
        return mesh.holds(key.kind().manifest(), new ObjectKey(cluster, key.namespace(), key.name()));
    }

    private List<Condition> wanted(StatusKey key) {
        return mesh.cut()
                .of(mesh.statuses())
                .find(key.row())
                .map(ObjectStatus::conditions)
                .orElse(List.of());
    }
}
