// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.route;

import io.envoyproxy.envoy.config.route.v3.Decorator;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// How a waypoint routes requests for a service in front of which it stands.
///
/// VirtualServices count when they are in the namespace of the service or of the waypoint; routes of the Gateway API
/// when their verdict says so. As soon as one does, a request that none of them matches is answered with 404; without
/// any, all requests go to the service.
public final class ServiceRoutes {
    private ServiceRoutes() {}

    /// For one of its ports.
    ///
    /// @param proxyNamespace that of the waypoint
    /// @param routes of the Gateway API that are in effect there, oldest first
    /// @param virtualServices that may be about the service, oldest first; those that are not are left out
    public static RoutePlan http(
            RouteContext context,
            String proxyNamespace,
            MeshService service,
            ServicePort port,
            List<? extends RouteManifest> routes,
            List<VirtualServiceManifest> virtualServices) {
        var requested = RequestPort.plain(port.number());
        var needs = new FilterNeeds();
        var bound = Attached.virtualServices(proxyNamespace, service, virtualServices);
        var found = new ArrayList<>(new GatewayApiRoutes(context, requested, needs).translate(routes));
        found.addAll(VirtualServiceRoutes.inMesh(context, requested, needs).translate(bound, virtualServices));
        return new RoutePlan(
                found.isEmpty() ? List.of(toService(context, service, port)) : RouteOrder.catchAllLast(found),
                needs.filters());
    }

    /// All requests go to the service itself.
    private static Route toService(RouteContext context, MeshService service, ServicePort port) {
        var cluster = context.destinations().cluster(service, port.number(), ClusterName.ClusterLayer.HTTP, "");
        var hashes = context.hashes().of(service, port.number(), "");
        var action = RouteAction.newBuilder().setCluster(cluster.toString()).addAllHashPolicy(hashes);
        RetryPolicies.usual(context.retries(), hashes).ifPresent(action::setRetryPolicy);
        Durations.writeTimeout(Duration.ZERO, action);
        return Route.newBuilder()
                .setName("default")
                .setMatch(RouteMatch.newBuilder().setPrefix("/"))
                .setDecorator(Decorator.newBuilder().setOperation(service.hostname() + ":" + port.number() + "/*"))
                .setRoute(action)
                .build();
    }
}
