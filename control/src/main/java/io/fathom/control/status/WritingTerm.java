package io.fathom.control.status;

import io.fathom.base.flow.Commit;
import io.fathom.control.status.WriteObserver.Outcome;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// One term in which the status of objects is kept as it should be.
///
/// It begins with a list of each kind: whatever differs, also what an earlier leader left behind, is put right. From
/// then on, an object is looked at when what is said about it changes. Each look reads the object first and writes only
/// if that makes a difference. Nothing of what the cluster holds is kept in memory.
final class WritingTerm<K extends WrittenKind> implements AutoCloseable {
    /// What to write into an object; empty when it is as it should be. Pure, on several threads.
    interface Plan<K extends WrittenKind> {
        Optional<StatusEdit> of(StatusKey<K> key, KubeObject object);
    }

    private final StatusDesk desk;
    private final Plan<K> plan;
    private final WriteQueue<StatusKey<K>> queue;
    private final AutoCloseable subscription;
    private final Relisting listing;

    /// @param changed the objects that a step may have changed something for; called on the thread of the mesh: quick
    WritingTerm(String name, StatusDesk desk, K[] kinds, Function<Commit, List<StatusKey<K>>> changed, Plan<K> plan) {
        this.desk = desk;
        this.plan = plan;
        queue = WriteQueue.start(
                name, desk.settings(), desk.observer(), key -> key.kind().text(), this::look);
        subscription = desk.mesh().subscribe(commit -> queue.add(changed.apply(commit)));
        listing = Relisting.start(name, List.of(kinds), kind -> queue.add(outdated(kind)));
    }

    private List<StatusKey<K>> outdated(K kind) {
        var found = new ArrayList<StatusKey<K>>();
        for (var object : desk.client().list(KubeQuery.all(kind.resource())).items()) {
            var key = new StatusKey<>(kind, object.namespace(), object.name());
            if (plan.of(key, object).isPresent()) {
                found.add(key);
            }
        }
        return found;
    }

    private Outcome look(StatusKey<K> key) {
        var resource = key.kind().resource();
        var edit = desk.client().get(resource, key.namespace(), key.name()).flatMap(object -> plan.of(key, object));
        if (edit.isEmpty()) {
            return Outcome.UNCHANGED;
        }
        desk.client()
                .applyStatus(
                        resource,
                        key.namespace(),
                        key.name(),
                        edit.get().object(),
                        edit.get().manager());
        return Outcome.WRITTEN;
    }

    @Override
    public void close() {
        try {
            subscription.close();
        } catch (Exception e) {
            throw new IllegalStateException("nothing in it fails", e);
        }
        listing.close();
        queue.close();
    }
}
