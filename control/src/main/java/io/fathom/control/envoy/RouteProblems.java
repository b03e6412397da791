package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.route.VirtualServiceReview;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.kube.VirtualServiceManifest;
import java.util.Optional;

/// What is wrong with VirtualServices, by `Kind/namespace/name`. Looked at again when a service that they name changes.
final class RouteProblems {
    private final Table<ObjectKey, VirtualServiceManifest> manifests;
    private final MeshServices services;
    private final Table<String, Problem> table;

    RouteProblems(MeshFlow mesh, MeshServices services) {
        this.manifests = mesh.manifests(VirtualServiceManifest.class);
        this.services = services;
        var found = mesh.flow().derive("envoy/virtual-services-reviewed", manifests, this::review);
        table = mesh.flow().rekey("envoy/virtual-service-problems", found, (key, _) -> "VirtualService/" + key.path());
    }

    Table<String, Problem> table() {
        return table;
    }

    private Optional<Problem> review(Fetch<ObjectKey> fetch, VirtualServiceManifest own) {
        var destinations = new RecordedDestinations(fetch, own.key(), services, _ -> false);
        return VirtualServiceReview.of(own, destinations, path -> isDelegate(fetch, own, path));
    }

    private boolean isDelegate(Fetch<ObjectKey> fetch, VirtualServiceManifest own, String path) {
        var slash = path.indexOf('/');
        var key = new ObjectKey(own.key().cluster(), path.substring(0, slash), path.substring(slash + 1));
        return fetch.one(manifests, key)
                .filter(target -> target.hosts().isEmpty())
                .isPresent();
    }
}
