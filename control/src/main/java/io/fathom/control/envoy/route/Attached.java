// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.Origin;
import io.fathom.control.gateway.Hostnames;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import java.util.List;

/// Which VirtualServices are about a service behind a waypoint. Routes of the Gateway API have verdicts that say it.
final class Attached {
    private Attached() {}

    /// Others must not redirect what they neither own nor carry.
    private static boolean mayDecide(String namespace, String proxyNamespace, MeshService service) {
        return namespace.equals(service.namespace()) || namespace.equals(proxyNamespace);
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
        return Hostnames.covers(host, service.hostname())
                || (!host.contains(".")
                        && service.origin() == Origin.SERVICE
                        && owner.namespace().equals(service.namespace())
                        && host.equals(service.metadata().key().name()));
    }
}
