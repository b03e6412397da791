// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.ingress;

import io.fathom.control.envoy.view.ClusterName.ClusterLayer;
import io.fathom.control.envoy.view.Destinations;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.gateway.Hostnames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// How sidecars of other networks say with TLS which port of which service they mean: `outbound_.PORT_._.HOST`. Pure.
public final class ServerNames {
    private ServerNames() {}

    /// One for each port of each service that the server is for.
    ///
    /// @param services that other networks may reach
    public static List<StreamRoute> routes(
            IngressServer server, List<MeshService> services, Destinations destinations) {
        var routes = new ArrayList<StreamRoute>();
        var sorted = new ArrayList<>(services);
        sorted.sort(Comparator.comparing(service -> service.service().key()));
        for (var service : sorted) {
            if (server.hostnames().stream().anyMatch(host -> Hostnames.covers(host, service.hostname()))) {
                for (var port : service.ports()) {
                    var name = "outbound_.%d_._.%s".formatted(port.number(), service.hostname());
                    var cluster = destinations.cluster(service, port.number(), ClusterLayer.TCP, "");
                    routes.add(new StreamRoute(
                            name, List.of(name), List.of(new StreamRoute.Share(cluster.toString(), 1))));
                }
            }
        }
        return routes;
    }
}
