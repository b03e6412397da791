// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.flow.Commit;
import io.fathom.base.flow.Cut;
import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.ambient.clusterset.Imports;
import io.fathom.control.status.WriteObserver.WriteResult;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.ObjectWatch.Change;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.multicluster.ServiceImportManifest;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/// Makes the ServiceImports of a cluster what clusters export: those of ours are made, changed and deleted, one that
/// somebody else made is never touched. For the holder of [ElectionLock#STATUS].
///
/// What is there is known from the mesh, so nothing is read from the cluster but those that differ. Where the kind is
/// not installed nothing is written, until it is.
public final class ImportWriter implements LeaderTask {
    private static final KubeResource IMPORTS = KubeResource.of(ServiceImportManifest.class);
    private static final String DEFINITION = "serviceimports." + IMPORTS.group();

    private final StatusDesk desk;
    private final KubeClient client;
    private final AmbientMesh mesh;

    public ImportWriter(StatusDesk desk) {
        this.desk = desk;
        this.client = desk.client();
        this.mesh = desk.mesh();
    }

    @Override
    public AutoCloseable begin() {
        var installed = new AtomicBoolean();
        var queue = WriteQueue.<ObjectKey>start(
                "imports",
                desk,
                _ -> ServiceImportManifest.KIND,
                key -> installed.get() ? look(key) : WriteResult.UNCHANGED);
        var subscription = mesh.subscribe(commit -> queue.add(changed(commit)));
        var definition = client.watch(
                KubeQuery.all(KubeResource.DEFINITIONS).withFields("metadata.name=" + DEFINITION), batch -> {
                    batch.forEach(change -> installed.set(change instanceof Change.Put));
                    queue.add(all());
                });
        return () -> {
            definition.close();
            subscription.close();
            queue.close();
        };
    }

    /// On the thread of the mesh: quick.
    private Set<ObjectKey> changed(Commit commit) {
        var keys = new HashSet<ObjectKey>();
        commit.changes(mesh.imports()).forEach(change -> keys.add(change.key()));
        commit.changes(mesh.objects(ServiceImportManifest.class)).forEach(change -> keys.add(change.key()));
        keys.removeIf(key -> !differs(commit.cut(), key));
        return keys;
    }

    private Set<ObjectKey> all() {
        var cut = mesh.cut();
        var keys = new HashSet<ObjectKey>();
        cut.of(mesh.imports()).forEach((key, _) -> keys.add(key));
        cut.of(mesh.objects(ServiceImportManifest.class)).forEach((key, _) -> keys.add(key));
        keys.removeIf(key -> !differs(cut, key));
        return keys;
    }

    /// An older definition does not keep all fields: then the same is applied again after each change, to no effect.
    private boolean differs(Cut cut, ObjectKey key) {
        var wanted = cut.of(mesh.imports()).find(key);
        var found = cut.of(mesh.objects(ServiceImportManifest.class)).find(key);
        if (!key.cluster().equals(desk.cluster())
                || found.filter(there -> !isOurs(there)).isPresent()) {
            return false;
        }
        if (wanted.isEmpty() || found.isEmpty()) {
            return wanted.isPresent() != found.isPresent();
        }
        return !isDone(wanted.get(), found.get());
    }

    private static boolean isDone(ServiceImportManifest wanted, ServiceImportManifest found) {
        return found.spec().equals(wanted.spec())
                && Set.copyOf(found.clusters()).equals(Set.copyOf(wanted.clusters()))
                && found.labels().equals(wanted.labels())
                && found.annotations().equals(wanted.annotations());
    }

    private static boolean isOurs(ServiceImportManifest found) {
        return Imports.isOurs(found.labels());
    }

    private WriteResult look(ObjectKey key) {
        var there = client.get(IMPORTS, key.namespace(), key.name());
        if (there.filter(
                        object -> !Imports.isOurs(object.metadata().at("labels").textMap()))
                .isPresent()) {
            return WriteResult.UNCHANGED;
        }
        var wanted = mesh.cut().of(mesh.imports()).find(key);
        if (wanted.isEmpty()) {
            return there.isPresent() && client.delete(IMPORTS, key.namespace(), key.name())
                    ? WriteResult.WRITTEN
                    : WriteResult.UNCHANGED;
        }
        var plan = new ImportPlan(wanted.get());
        client.apply(IMPORTS, key.namespace(), key.name(), plan.object(), ImportPlan.MANAGER);
        client.applyStatus(IMPORTS, key.namespace(), key.name(), plan.status(), ImportPlan.MANAGER);
        return WriteResult.WRITTEN;
    }
}
