// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.flow.Commit;
import io.fathom.control.status.WriteObserver.WriteResult;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestKind;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// One term in which the status of objects is kept as it should be.
///
/// It begins with a list of each kind: whatever differs, also what an earlier leader left behind, is put right. From
/// then on, an object is looked at when what is said about it changes. Each look reads the object first and writes only
/// if that makes a difference. Nothing of what the cluster holds is kept in memory.
final class WritingTerm implements AutoCloseable {
    /// What to write into an object; empty when it is as it should be. Pure, on several threads.
    interface WritingPlan {
        Optional<StatusEdit> of(ManifestId id, KubeObject object);
    }

    private final StatusDesk desk;
    private final WritingPlan plan;
    private final WriteQueue<ManifestId> queue;
    private final AutoCloseable subscription;
    private final Relisting listing;

    /// @param changed the objects that a step may have changed something for; called on the thread of the mesh: quick
    WritingTerm(
            String name,
            StatusDesk desk,
            List<ManifestKind> kinds,
            Function<Commit, Stream<ManifestId>> changed,
            WritingPlan plan) {
        this.desk = desk;
        this.plan = plan;
        var types = kinds.stream().map(ManifestKind::type).collect(Collectors.toSet());
        queue = WriteQueue.start(name, desk, ManifestId::kindName, this::look);
        subscription = desk.mesh()
                .subscribe(commit -> queue.add(changed.apply(commit)
                        .filter(id -> id.key().cluster().equals(desk.cluster()) && types.contains(id.kind()))
                        .toList()));
        listing = Relisting.start(name, kinds, kind -> queue.add(outdated(kind)));
    }

    private List<ManifestId> outdated(ManifestKind kind) {
        var found = new ArrayList<ManifestId>();
        for (var object :
                desk.client().list(KubeQuery.all(KubeResource.of(kind.type()))).items()) {
            var id = new ManifestId(kind.type(), new ObjectKey(desk.cluster(), object.namespace(), object.name()));
            if (plan.of(id, object).isPresent()) {
                found.add(id);
            }
        }
        return found;
    }

    private WriteResult look(ManifestId id) {
        var resource = KubeResource.of(id.kind());
        var key = id.key();
        var edit = desk.client().get(resource, key.namespace(), key.name()).flatMap(object -> plan.of(id, object));
        if (edit.isEmpty()) {
            return WriteResult.UNCHANGED;
        }
        desk.client()
                .applyStatus(
                        resource,
                        key.namespace(),
                        key.name(),
                        edit.get().object(),
                        edit.get().manager());
        return WriteResult.WRITTEN;
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
