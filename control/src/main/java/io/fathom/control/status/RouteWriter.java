package io.fathom.control.status;

import io.fathom.base.flow.Change;
import io.fathom.base.flow.Commit;
import io.fathom.control.gateway.ParentVerdict;
import io.fathom.control.gateway.RouteVerdict;
import io.fathom.wire.kube.BackendTlsPolicyManifest;
import io.fathom.wire.kube.BackendTrafficPolicyManifest;
import io.fathom.wire.kube.Manifest;
import io.fathom.wire.kube.RouteManifest;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeResource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Keeps the status of routes and policies of backends as the mesh judges them at each of their parents, in terms of
/// the kind of [WritingTerm]. For the holder of [ElectionLock#GATEWAY_STATUS].
public final class RouteWriter implements LeaderTask {
    private final StatusDesk desk;

    private enum Kind implements WrittenKind {
        HTTP("HTTPRoute", "httproutes", "v1"),
        GRPC("GRPCRoute", "grpcroutes", "v1"),
        TCP("TCPRoute", "tcproutes", "v1alpha2"),
        TLS("TLSRoute", "tlsroutes", "v1alpha2"),
        BACKEND_TLS("BackendTLSPolicy", "backendtlspolicies", "v1"),
        BACKEND_TRAFFIC(
                "XBackendTrafficPolicy", "xbackendtrafficpolicies", "v1alpha1", BackendTrafficPolicyManifest.GROUP);

        private final String text;
        private final String plural;
        private final String version;
        private final String group;

        Kind(String text, String plural, String version) {
            this(text, plural, version, RouteManifest.GROUP);
        }

        Kind(String text, String plural, String version, String group) {
            this.text = text;
            this.plural = plural;
            this.version = version;
            this.group = group;
        }

        @Override
        public String text() {
            return text;
        }

        @Override
        public KubeResource resource() {
            return new KubeResource(group, version, plural, KubeResource.Scope.NAMESPACE);
        }
    }

    public RouteWriter(StatusDesk desk) {
        this.desk = desk;
    }

    @Override
    public AutoCloseable begin() {
        return new WritingTerm<>("routes", desk, Kind.values(), this::changed, this::plan);
    }

    private List<StatusKey<Kind>> changed(Commit commit) {
        var mesh = desk.mesh();
        return Stream.of(
                        commit.changes(mesh.routes()).stream().map(Change::key),
                        commit.changes(mesh.backendTlsPolicies()).stream().map(Change::key),
                        commit.changes(mesh.backendTrafficPolicies()).stream().map(Change::key),
                        // conditions say which generation they are about
                        objects(commit, BackendTlsPolicyManifest.class, Kind.BACKEND_TLS),
                        objects(commit, BackendTrafficPolicyManifest.class, Kind.BACKEND_TRAFFIC),
                        desk.statements().changed(commit))
                .flatMap(rows -> rows)
                .flatMap(row -> StatusKey.parse(Kind.values(), row).stream())
                .toList();
    }

    private Stream<String> objects(Commit commit, Class<? extends Manifest> type, Kind kind) {
        return commit.changes(desk.mesh().objects(type)).stream()
                .map(change -> kind.text() + "/" + change.key().path());
    }

    private Optional<StatusEdit> plan(StatusKey<Kind> key, KubeObject object) {
        var mesh = desk.mesh();
        var cut = mesh.cut();
        var now = desk.clock().instant();
        if (key.kind() == Kind.BACKEND_TLS || key.kind() == Kind.BACKEND_TRAFFIC) {
            var judged = key.kind() == Kind.BACKEND_TLS ? mesh.backendTlsPolicies() : mesh.backendTrafficPolicies();
            List<ParentVerdict> verdicts = cut.of(judged).find(key.row()).orElse(List.of());
            return RoutePlan.plan(object, RoutePlan.Words.POLICY, verdicts, Optional.empty(), now);
        }
        Optional<RouteVerdict> verdict = cut.of(mesh.routes()).find(key.row());
        return RoutePlan.plan(
                object,
                RoutePlan.Words.ROUTE,
                verdict.map(RouteVerdict::parents).orElse(List.of()),
                desk.statements().refusal(cut, key.row()),
                now);
    }
}
