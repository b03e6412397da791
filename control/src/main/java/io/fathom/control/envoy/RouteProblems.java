package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.base.lang.Problem;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.cluster.TrafficRules;
import io.fathom.control.envoy.route.VirtualServiceReview;
import io.fathom.wire.kube.DestinationRuleManifest;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.kube.VirtualServiceManifest;
import java.util.List;
import java.util.Optional;

/// What is wrong with VirtualServices and DestinationRules. Looked at again when a service or
/// rule that they name changes.
final class RouteProblems {
    private final Table<ObjectKey, VirtualServiceManifest> manifests;
    private final MeshServices services;
    private final TrafficRules traffic;
    private final Table<ManifestId, Problem> table;

    RouteProblems(MeshFlow mesh, MeshServices services, TrafficRules traffic) {
        this.manifests = mesh.manifests(VirtualServiceManifest.class);
        this.services = services;
        this.traffic = traffic;
        var flow = mesh.flow();
        var routes = flow.derive("envoy/virtual-services-reviewed", manifests, this::review);
        var rules = flow.derive(
                "envoy/destination-rules-reviewed", mesh.manifests(DestinationRuleManifest.class), this::review);
        table = flow.join(
                "envoy/route-problems",
                List.of(
                        flow.rekey(
                                "envoy/virtual-service-problems",
                                routes,
                                (key, _) -> new ManifestId(VirtualServiceManifest.class, key)),
                        flow.rekey(
                                "envoy/destination-rule-problems",
                                rules,
                                (key, _) -> new ManifestId(DestinationRuleManifest.class, key))));
    }

    Table<ManifestId, Problem> table() {
        return table;
    }

    private Optional<Problem> review(Fetch<ObjectKey> fetch, VirtualServiceManifest own) {
        var destinations = new RecordedDestinations(fetch, own.key(), services, _ -> false);
        return VirtualServiceReview.of(
                own,
                destinations,
                (service, subset) -> traffic.hasSubset(fetch, service, subset),
                path -> isDelegate(fetch, own, path));
    }

    private Optional<Problem> review(Fetch<ObjectKey> fetch, DestinationRuleManifest own) {
        return traffic.review(
                fetch, own, host -> services.of(fetch, own.namespace(), host).isPresent());
    }

    private boolean isDelegate(Fetch<ObjectKey> fetch, VirtualServiceManifest own, String path) {
        var slash = path.indexOf('/');
        var key = new ObjectKey(own.key().cluster(), path.substring(0, slash), path.substring(slash + 1));
        return fetch.one(manifests, key)
                .filter(target -> target.hosts().isEmpty())
                .isPresent();
    }
}
