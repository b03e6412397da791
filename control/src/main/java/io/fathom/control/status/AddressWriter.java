// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.flow.Commit;
import io.fathom.base.flow.Cut;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.control.ambient.status.ObjectStatus.HostAddress;
import io.fathom.control.status.WriteObserver.WriteResult;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.ArrayList;
import java.util.List;

/// Writes the automatic addresses of ServiceEntries into their status. For the holder of [ElectionLock#ADDRESSES], and
/// only where addresses are allocated at all: otherwise those of others would be taken away.
///
/// The manifest of an entry says what its status names, so nothing is read from the cluster but entries that differ.
public final class AddressWriter implements LeaderTask {
    private static final String KIND = "ServiceEntry/addresses";
    private static final KubeResource SERVICE_ENTRIES = KubeResource.of(ServiceEntryManifest.class);

    private final StatusDesk desk;
    private final KubeClient client;
    private final AmbientMesh mesh;

    public AddressWriter(StatusDesk desk) {
        this.desk = desk;
        this.client = desk.client();
        this.mesh = desk.mesh();
    }

    @Override
    public AutoCloseable begin() {
        var queue = WriteQueue.<ObjectKey>start("addresses", desk, _ -> KIND, this::look);
        var subscription = mesh.subscribe(commit -> queue.add(changed(commit)));
        var all = new ArrayList<ObjectKey>();
        mesh.cut().of(mesh.serviceEntries()).forEach((key, _) -> all.add(key));
        queue.add(differing(mesh.cut(), all));
        return () -> {
            subscription.close();
            queue.close();
        };
    }

    /// On the thread of the mesh: quick. An entry may change without its plan, and a plan without its entry.
    private List<ObjectKey> changed(Commit commit) {
        var keys = new ArrayList<ObjectKey>();
        commit.changes(mesh.serviceEntries()).forEach(change -> keys.add(change.key()));
        for (var change : commit.changes(mesh.statuses())) {
            if (change.key().kind() == ServiceEntryManifest.class) {
                keys.add(change.key().key());
            }
        }
        return differing(commit.cut(), keys);
    }

    private List<ObjectKey> differing(Cut cut, List<ObjectKey> keys) {
        return keys.stream()
                .filter(key -> key.cluster().equals(desk.cluster()))
                .filter(key -> cut.of(mesh.serviceEntries())
                        .find(key)
                        .filter(entry -> !AddressPlan.isDone(entry.assigned(), planned(cut, key)))
                        .isPresent())
                .toList();
    }

    private WriteResult look(ObjectKey key) {
        var cut = mesh.cut();
        var entry = cut.of(mesh.serviceEntries()).find(key);
        var planned = planned(cut, key);
        if (entry.isEmpty() || AddressPlan.isDone(entry.get().assigned(), planned)) {
            return WriteResult.UNCHANGED;
        }
        var steps = client.get(SERVICE_ENTRIES, key.namespace(), key.name())
                .flatMap(object -> AddressPlan.steps(object.tree(), entry.get().assigned(), planned));
        if (steps.isEmpty()) {
            return WriteResult.UNCHANGED;
        }
        client.editStatus(SERVICE_ENTRIES, key.namespace(), key.name(), steps.get());
        return WriteResult.WRITTEN;
    }

    private List<HostAddress> planned(Cut cut, ObjectKey key) {
        return cut.of(mesh.statuses())
                .find(new ManifestId(ServiceEntryManifest.class, key))
                .map(ObjectStatus::addresses)
                .orElse(List.of());
    }
}
