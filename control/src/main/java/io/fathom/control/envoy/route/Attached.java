package io.fathom.control.envoy.route;

import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.Origin;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.wire.kube.RouteManifest;
import io.fathom.wire.kube.RouteManifest.ParentRef;
import io.fathom.wire.kube.VirtualServiceManifest;
import java.util.List;

/// Which routes are about a service behind a waypoint.
final class Attached {
    private Attached() {}

    static List<RouteManifest> routes(
            String proxyNamespace, MeshService service, ServicePort port, List<? extends RouteManifest> routes) {
        return routes.stream()
                .filter(route -> mayDecide(route.namespace(), proxyNamespace, service))
                .filter(route -> route.parents().stream().anyMatch(parent -> names(parent, route, service, port)))
                .<RouteManifest>map(route -> route)
                .toList();
    }

    /// Others must not redirect what they neither own nor carry.
    private static boolean mayDecide(String namespace, String proxyNamespace, MeshService service) {
        return namespace.equals(service.namespace()) || namespace.equals(proxyNamespace);
    }

    private static boolean names(ParentRef parent, RouteManifest route, MeshService service, ServicePort port) {
        var isKind = service.origin() == Origin.SERVICE
                ? parent.isService()
                : parent.group().equals("networking.istio.io") && parent.kind().equals("ServiceEntry");
        return isKind
                && parent.name().equals(service.metadata().key().name())
                && parent.namespaceFor(route.namespace()).equals(service.namespace())
                && (parent.port() == 0 || parent.port() == port.number())
                && (parent.section().isEmpty() || parent.section().equals(port.name()));
    }

    static List<VirtualServiceManifest> virtualServices(
            String proxyNamespace, MeshService service, List<VirtualServiceManifest> virtualServices) {
        return virtualServices.stream()
                .filter(each -> mayDecide(each.namespace(), proxyNamespace, service))
                .filter(each -> each.gateways().contains(VirtualServiceManifest.MESH))
                .filter(each -> each.isVisibleIn(proxyNamespace))
                .filter(each -> each.hosts().stream().anyMatch(host -> isMeant(host, each, service)))
                .toList();
    }

    private static boolean isMeant(String host, VirtualServiceManifest owner, MeshService service) {
        return Hosts.covers(host, service.hostname())
                || (!host.contains(".")
                        && service.origin() == Origin.SERVICE
                        && owner.namespace().equals(service.namespace())
                        && host.equals(service.metadata().key().name()));
    }
}
