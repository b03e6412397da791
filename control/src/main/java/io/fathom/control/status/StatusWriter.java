// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.flow.Commit;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestKind;
import io.fathom.wire.kube.ManifestKinds;
import io.fathom.wire.kube.StatusForm;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.manifest.Manifest;
import java.util.Optional;
import java.util.stream.Stream;

/// Keeps the conditions of objects in the cluster as the mesh has them, in terms of the kind of [WritingTerm]. For the
/// holder of [ElectionLock#STATUS]. Our own writes change nothing that we read.
public final class StatusWriter implements LeaderTask {
    private final StatusDesk desk;

    public StatusWriter(StatusDesk desk) {
        this.desk = desk;
    }

    private static Stream<ManifestKind> kinds() {
        return ManifestKinds.all().stream().filter(kind -> kind.status() instanceof StatusForm.Conditions);
    }

    @Override
    public AutoCloseable begin() {
        return new WritingTerm("status", desk, kinds().toList(), this::changed, this::plan);
    }

    private Stream<ManifestId> changed(Commit commit) {
        // Conditions say which generation they are about.
        var edited = kinds().filter(kind -> kind.status() instanceof StatusForm.Conditions form
                        && form.generation() == StatusForm.Generation.OBSERVED)
                .flatMap(kind -> edited(commit, kind.type()));
        return Stream.concat(desk.statements().changed(commit), edited);
    }

    /// Those that something is said about.
    private Stream<ManifestId> edited(Commit commit, Class<? extends Manifest> type) {
        return commit.changes(desk.mesh().objects(type)).stream()
                .filter(change -> change.current().isPresent())
                .map(change -> new ManifestId(type, change.key()))
                .filter(id ->
                        !desk.statements().of(commit.cut(), id).conditions().isEmpty());
    }

    /// Objects of another revision are that one's affair.
    private Optional<StatusEdit> plan(ManifestId id, KubeObject object) {
        var kind = ManifestKinds.of(id.kind());
        return kind.status() instanceof StatusForm.Conditions form
                        && desk.mesh().holds(id.kind(), id.key())
                ? ConditionPlan.plan(
                        kind,
                        form,
                        object,
                        desk.statements().of(desk.mesh().cut(), id).conditions(),
                        desk.timeline().instant())
                : Optional.empty();
    }
}
