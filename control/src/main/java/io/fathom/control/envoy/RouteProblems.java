// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.cluster.TrafficRules;
import io.fathom.control.envoy.route.VirtualServiceReview;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.DestinationRuleManifest;
import io.fathom.wire.kube.networking.IstioGatewayManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import java.util.List;

/// What is wrong with VirtualServices and DestinationRules. Looked at again when a service or
/// rule that they name changes.
final class RouteProblems {
    private final Table<ObjectKey, VirtualServiceManifest> manifests;
    private final Table<ObjectKey, IstioGatewayManifest> gateways;
    private final MeshServices services;
    private final TrafficRules traffic;
    private final Table<ProblemKey, ObjectProblem> table;

    RouteProblems(MeshFlow mesh, MeshServices services, TrafficRules traffic) {
        this.manifests = mesh.manifests(VirtualServiceManifest.class);
        this.gateways = mesh.manifests(IstioGatewayManifest.class);
        this.services = services;
        this.traffic = traffic;
        var flow = mesh.flow();
        table = flow.join(
                "envoy/route-problems",
                List.of(
                        flow.deriveMany(
                                "envoy/virtual-service-problems",
                                manifests,
                                (fetch, own) -> ObjectProblem.rows(review(fetch, own))),
                        flow.deriveMany(
                                "envoy/destination-rule-problems",
                                mesh.manifests(DestinationRuleManifest.class),
                                (fetch, own) -> ObjectProblem.rows(review(fetch, own)))));
    }

    Table<ProblemKey, ObjectProblem> table() {
        return table;
    }

    private List<ObjectProblem> review(Fetch<ObjectKey> fetch, VirtualServiceManifest own) {
        var destinations = new RecordedDestinations(fetch, own.key(), services, _ -> false);
        return VirtualServiceReview.of(own, destinations, new Tracked(fetch, own));
    }

    private List<ObjectProblem> review(Fetch<ObjectKey> fetch, DestinationRuleManifest own) {
        return traffic.review(
                fetch, own, host -> services.of(fetch, own.namespace(), host).isPresent());
    }

    /// What a VirtualService names, remembered by the flow.
    private final class Tracked implements VirtualServiceReview.Names {
        private final Fetch<ObjectKey> fetch;
        private final VirtualServiceManifest own;

        private Tracked(Fetch<ObjectKey> fetch, VirtualServiceManifest own) {
            this.fetch = fetch;
            this.own = own;
        }

        private ObjectKey key(String path) {
            var slash = path.indexOf('/');
            return new ObjectKey(own.key().cluster(), path.substring(0, slash), path.substring(slash + 1));
        }

        @Override
        public boolean isSubset(MeshService service, String subset) {
            return traffic.hasSubset(fetch, service, subset);
        }

        @Override
        public boolean isDelegate(String path) {
            return fetch.one(manifests, key(path))
                    .filter(target -> target.hosts().isEmpty())
                    .isPresent();
        }

        @Override
        public boolean isGateway(String path) {
            return fetch.one(gateways, key(path)).isPresent();
        }
    }
}
