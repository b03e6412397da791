// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.fathom.control.ambient.input.Hosts;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.RouteManifest.BackendRef;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.multicluster.ServiceExportManifest;
import io.fathom.wire.kube.multicluster.ServiceImportManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest.Destination;
import java.util.Optional;

/// What a route names as a destination, found or not.
///
/// @param service empty when there is none, or the route may not use it
record Backend(String cluster, Optional<MeshService> service, int port, String subset) {
    private static final String ISTIO = "networking.istio.io";
    private static final Backend UNKNOWN = new Backend(Destinations.UNKNOWN_SERVICE, Optional.empty(), 0, "");

    boolean isKnown() {
        return service.isPresent();
    }

    static Backend of(RouteContext context, RouteManifest route, BackendRef ref, ClusterName.ClusterLayer layer) {
        if (!context.grants().permits(route, ref)) {
            return UNKNOWN;
        }
        return service(context.destinations(), route, ref)
                .map(service -> at(context, service, ref.port(), layer, ""))
                .orElse(UNKNOWN);
    }

    private static Optional<MeshService> service(Destinations destinations, RouteManifest route, BackendRef ref) {
        var key = new ObjectKey(route.key().cluster(), ref.namespaceFor(route.namespace()), ref.name());
        if (ref.group().isEmpty() && ref.kind().equals("Service")) {
            return destinations.service(key).filter(found -> found.origin() == MeshService.Origin.SERVICE);
        }
        if (ref.group().equals(ISTIO) && ref.kind().equals("ServiceEntry")) {
            return destinations.service(key).filter(found -> found.origin() == MeshService.Origin.SERVICE_ENTRY);
        }
        if (ref.group().equals(ServiceExportManifest.GROUP) && ref.kind().equals(ServiceImportManifest.KIND)) {
            return destinations.host(key.namespace(), Hosts.clusterSetNameOf(key.namespace(), key.name()));
        }
        return ref.group().equals(ISTIO) && ref.kind().equals("Hostname")
                ? destinations.host(route.namespace(), ref.name())
                : Optional.empty();
    }

    /// @param requested the port of the request; used when the destination has several and names none
    static Backend of(
            RouteContext context,
            VirtualServiceManifest owner,
            Destination to,
            int requested,
            ClusterName.ClusterLayer layer) {
        return host(context.destinations(), owner, to.host())
                .map(service -> at(context, service, port(service, to.port(), requested), layer, to.subset()))
                .orElse(UNKNOWN);
    }

    /// A name without dots means a Service beside the VirtualService.
    static Optional<MeshService> host(Destinations destinations, VirtualServiceManifest owner, String host) {
        return host.contains(".")
                ? destinations.host(owner.namespace(), host)
                : destinations.service(owner.key().sibling(host)).or(() -> destinations.host(owner.namespace(), host));
    }

    private static int port(MeshService service, int named, int requested) {
        if (named != 0) {
            return named;
        }
        return service.ports().size() == 1 ? service.ports().getFirst().number() : requested;
    }

    private static Backend at(
            RouteContext context, MeshService service, int port, ClusterName.ClusterLayer layer, String subset) {
        return service.port(port).isEmpty()
                ? UNKNOWN
                : new Backend(
                        context.destinations()
                                .cluster(service, port, layer, subset)
                                .toString(),
                        Optional.of(service),
                        port,
                        subset);
    }
}
