package io.fathom.control.status;

import io.fathom.base.flow.Commit;
import io.fathom.wire.kube.Manifest;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.kube.api.KubeObject;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Keeps the conditions of objects in the cluster as the mesh has them, in terms of the kind of [WritingTerm]. For the
/// holder of [ElectionLock#STATUS]. Our own writes change nothing that we read.
public final class StatusWriter implements LeaderTask {
    private final StatusDesk desk;
    private final String cluster;

    /// @param cluster the id of the cluster that is written to
    public StatusWriter(StatusDesk desk, String cluster) {
        this.desk = desk;
        this.cluster = cluster;
    }

    @Override
    public AutoCloseable begin() {
        return new WritingTerm<>("status", desk, StatusKind.values(), this::changed, this::plan);
    }

    private List<StatusKey<StatusKind>> changed(Commit commit) {
        var rows = desk.statements().changed(commit).flatMap(row -> StatusKey.parse(StatusKind.values(), row).stream());
        // Conditions say which generation they are about.
        var edited = Arrays.stream(StatusKind.values())
                .filter(kind -> kind.generation() == StatusKind.Generation.OBSERVED)
                .flatMap(kind -> edited(commit, kind, kind.manifest()));
        return Stream.concat(rows, edited).toList();
    }

    /// Those that something is said about.
    private Stream<StatusKey<StatusKind>> edited(Commit commit, StatusKind kind, Class<? extends Manifest> type) {
        return commit.changes(desk.mesh().objects(type)).stream()
                .filter(change -> change.current().isPresent())
                .map(change -> new StatusKey<>(
                        kind, change.key().namespace(), change.key().name()))
                .filter(key -> !desk.statements()
                        .of(commit.cut(), key.row())
                        .conditions()
                        .isEmpty());
    }

    /// Objects of another revision are that one's affair.
    private Optional<StatusEdit> plan(StatusKey<StatusKind> key, KubeObject object) {
        return desk.mesh().holds(key.kind().manifest(), new ObjectKey(cluster, key.namespace(), key.name()))
                ? ConditionPlan.plan(
                        key.kind(),
                        object,
                        desk.statements().of(desk.mesh().cut(), key.row()).conditions(),
                        desk.clock().instant())
                : Optional.empty();
    }
}
