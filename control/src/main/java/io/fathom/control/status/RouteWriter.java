// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.status;

import io.fathom.base.flow.Change;
import io.fathom.base.flow.Commit;
import io.fathom.base.flow.Cut;
import io.fathom.control.gateway.ParentVerdict;
import io.fathom.control.gateway.RouteVerdict;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestKinds;
import io.fathom.wire.kube.StatusForm;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.gateway.BackendTrafficPolicyManifest;
import io.fathom.wire.kube.manifest.Manifest;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Keeps the status of routes and policies of backends as the mesh judges them at each of their parents, in terms of
/// the kind of [WritingTerm]. For the holder of [ElectionLock#GATEWAY_STATUS].
public final class RouteWriter implements LeaderTask {
    private final StatusDesk desk;

    public RouteWriter(StatusDesk desk) {
        this.desk = desk;
    }

    @Override
    public AutoCloseable begin() {
        var kinds = ManifestKinds.all().stream()
                .filter(kind -> kind.status() instanceof StatusForm.Entries)
                .toList();
        return new WritingTerm("routes", desk, kinds, this::changed, this::plan);
    }

    private Stream<ManifestId> changed(Commit commit) {
        var mesh = desk.mesh();
        return Stream.of(
                        commit.changes(mesh.routes()).stream().map(Change::key),
                        commit.changes(mesh.backendTlsPolicies()).stream().map(Change::key),
                        commit.changes(mesh.backendTrafficPolicies()).stream().map(Change::key),
                        // conditions say which generation they are about
                        objects(commit, BackendTlsPolicyManifest.class),
                        objects(commit, BackendTrafficPolicyManifest.class),
                        desk.statements().changed(commit))
                .flatMap(objects -> objects);
    }

    private Stream<ManifestId> objects(Commit commit, Class<? extends Manifest> type) {
        return commit.changes(desk.mesh().objects(type)).stream().map(change -> new ManifestId(type, change.key()));
    }

    private Optional<StatusEdit> plan(ManifestId id, KubeObject object) {
        if (!(ManifestKinds.of(id.kind()).status() instanceof StatusForm.Entries form)) {
            return Optional.empty();
        }
        var cut = desk.mesh().cut();
        return RoutePlan.plan(
                object,
                form,
                verdicts(cut, id),
                desk.statements().refusal(cut, id),
                desk.timeline().instant());
    }

    private List<ParentVerdict> verdicts(Cut cut, ManifestId id) {
        var mesh = desk.mesh();
        if (id.kind() == BackendTlsPolicyManifest.class) {
            return cut.of(mesh.backendTlsPolicies()).find(id).orElse(List.of());
        }
        if (id.kind() == BackendTrafficPolicyManifest.class) {
            return cut.of(mesh.backendTrafficPolicies()).find(id).orElse(List.of());
        }
        return cut.of(mesh.routes()).find(id).map(RouteVerdict::parents).orElse(List.of());
    }
}
