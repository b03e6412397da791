package io.fathom.control.status;

import io.fathom.control.ambient.AmbientMesh;
import io.fathom.control.gateway.RouteVerdict;
import io.fathom.control.status.WriteObserver.Outcome;
import io.fathom.wire.kube.RouteManifest;
import io.fathom.wire.kube.api.KubeClient;
import io.fathom.wire.kube.api.KubeObject;
import io.fathom.wire.kube.api.KubeQuery;
import io.fathom.wire.kube.api.KubeResource;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Keeps the status of routes as the mesh judges them, with the same guarantees as [StatusWriter]. For the holder of
/// [ElectionLock#GATEWAY_STATUS].
public final class RouteWriter implements LeaderTask {
    private final KubeClient client;
    private final AmbientMesh mesh;
    private final InstantSource clock;
    private final WriteSettings settings;
    private final WriteObserver observer;

    private enum Kind {
        HTTP("HTTPRoute", "httproutes", "v1"),
        GRPC("GRPCRoute", "grpcroutes", "v1"),
        TCP("TCPRoute", "tcproutes", "v1alpha2"),
        TLS("TLSRoute", "tlsroutes", "v1alpha2");

        private final String text;
        private final String plural;
        private final String version;

        Kind(String text, String plural, String version) {
            this.text = text;
            this.plural = plural;
            this.version = version;
        }

        private KubeResource resource() {
            return new KubeResource(RouteManifest.GROUP, version, plural, KubeResource.Scope.NAMESPACE);
        }
    }

    private record Key(Kind kind, String namespace, String name) {
        /// From `Kind/namespace/name`.
        static Key parse(String row) {
            var parts = row.split("/", 3);
            var kind = Arrays.stream(Kind.values())
                    .filter(each -> each.text.equals(parts[0]))
                    .findFirst()
                    .orElseThrow();
            return new Key(kind, parts[1], parts[2]);
        }

        @Override
        public String toString() {
            return kind.text + "/" + namespace + "/" + name;
        }
    }

    public RouteWriter(
            KubeClient client, AmbientMesh mesh, InstantSource clock, WriteSettings settings, WriteObserver observer) {
        this.client = client;
        this.mesh = mesh;
        this.clock = clock;
        this.settings = settings;
        this.observer = observer;
    }

    @Override
    public AutoCloseable begin() {
        var queue = WriteQueue.<Key>start("routes", settings, observer, key -> key.kind().text, this::look);
        var subscription = mesh.subscribe(commit -> queue.add(commit.changes(mesh.routes()).stream()
                .map(change -> Key.parse(change.key()))
                .toList()));
        var listing = Relisting.start("routes", List.of(Kind.values()), kind -> queue.add(outdated(kind)));
        return () -> {
            subscription.close();
            listing.close();
            queue.close();
        };
    }

    private List<Key> outdated(Kind kind) {
        var found = new ArrayList<Key>();
        for (var object : client.list(KubeQuery.all(kind.resource())).items()) {
            var key = new Key(kind, object.namespace(), object.name());
            if (plan(key, object).isPresent()) {
                found.add(key);
            }
        }
        return found;
    }

    private Outcome look(Key key) {
        var resource = key.kind().resource();
        var edit = client.get(resource, key.namespace(), key.name()).flatMap(object -> plan(key, object));
        if (edit.isEmpty()) {
            return Outcome.UNCHANGED;
        }
        client.applyStatus(
                resource,
                key.namespace(),
                key.name(),
                edit.get().object(),
                edit.get().manager());
        return Outcome.WRITTEN;
    }

    private Optional<StatusEdit> plan(Key key, KubeObject object) {
        Optional<RouteVerdict> verdict = mesh.cut().of(mesh.routes()).find(key.toString());
        return RoutePlan.plan(object, verdict, clock.instant());
    }
}
