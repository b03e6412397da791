// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.fathom.base.flow.Fetch;
import io.fathom.control.envoy.cluster.Clusters;
import io.fathom.control.envoy.cluster.DynamicForward;
import io.fathom.control.envoy.route.RouteContext;
import io.fathom.control.envoy.route.TcpRoutes;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.ClusterName.ClusterLayer;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.ServicePort;
import io.fathom.control.envoy.waypoint.DirectChains;
import io.fathom.control.envoy.waypoint.HttpSlots;
import io.fathom.control.envoy.waypoint.ServiceChains;
import io.fathom.control.envoy.waypoint.ServiceChains.HostPort;
import io.fathom.control.envoy.waypoint.ServicePart;
import io.fathom.control.envoy.waypoint.ServicePart.PortPart;
import io.fathom.control.envoy.waypoint.ServicePart.PortPart.Encryption;
import io.fathom.control.envoy.waypoint.TcpSlots;
import io.fathom.model.mesh.AppProtocol;
import io.fathom.wire.kube.extension.TrafficExtension.Phase;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// Writes the chains of a waypoint with all that the rulebook has for them. Used by one derivation.
final class ChainWriter {
    private final Fetch<?> fetch;
    private final Rulebook rulebook;
    private final Group group;
    private final RecordedDestinations destinations;
    private final ServiceChains chains;
    private final RouteContext context;

    ChainWriter(Fetch<?> fetch, Rulebook rulebook, Group group, RecordedDestinations destinations) {
        this.fetch = fetch;
        this.rulebook = rulebook;
        this.group = group;
        this.destinations = destinations;
        this.chains = new ServiceChains(group.settings());
        this.context = rulebook.inMesh(fetch, group.proxies(), destinations);
    }

    /// @param filters that the routes of a port count on
    ServicePart part(MeshService service, Function<ServicePort, List<HttpFilter>> filters) {
        var virtualServices = rulebook.virtualServices(fetch, service);
        var ports = new ArrayList<PortPart>();
        for (var port : service.ports()) {
            var layers = Clusters.layers(port);
            ports.add(new PortPart(
                    port.number(),
                    layers.contains(ClusterLayer.HTTP)
                            ? Optional.of(http(service, port, filters.apply(port)))
                            : Optional.empty(),
                    layers.contains(ClusterLayer.TCP)
                            ? Optional.of(tcp(service, port, virtualServices))
                            : Optional.empty(),
                    port.protocol() == AppProtocol.TLS ? Encryption.TLS : Encryption.NONE));
        }
        return new ServicePart(service, ports);
    }

    /// For traffic to workloads themselves.
    DirectChains direct() {
        return chains.direct(
                http(Optional.empty(), 0, List.of()),
                tcp(Optional.empty(), 0, ServiceChains.directTcp().proxy()));
    }

    private FilterChain http(MeshService service, ServicePort port, List<HttpFilter> filters) {
        return chains.http(
                ClusterName.behindWaypoint(port.number(), ClusterLayer.HTTP, "", service.hostname()),
                port,
                DynamicForward.isUsedBy(service) && DynamicForward.target(service, port.number()) != port.number()
                        ? HostPort.REMOVED // so that the port of the protocol is dialled
                        : HostPort.KEPT,
                http(Optional.of(service), port.number(), both(filters, DynamicForward.forRequests(service))));
    }

    private FilterChain tcp(MeshService service, ServicePort port, List<VirtualServiceManifest> virtualServices) {
        var routes = rulebook.routes(fetch, group.key(), service, port);
        var name = ClusterName.behindWaypoint(port.number(), ClusterLayer.TCP, "", service.hostname());
        var target = TcpRoutes.service(context, group.proxies().namespace(), service, port, routes, virtualServices);
        var proxy = target.writeTo(TcpProxy.newBuilder().setStatPrefix(name.toString()));
        var slots = tcp(Optional.of(service), port.number(), proxy.build());
        return chains.tcp(name, slots.with(DynamicForward.forConnections(service, port)));
    }

    private HttpSlots http(Optional<MeshService> service, int port, List<HttpFilter> filters) {
        var policy = rulebook.policies().http(fetch, group.proxies(), service, destinations);
        var users = rulebook.users();
        var situation = users.situation(fetch, group.proxies(), service);
        var extensions = users.extensions(fetch, situation);
        var telemetry = users.telemetry(fetch, situation, destinations);
        return new HttpSlots(
                policy.custom(),
                both(extensions.http(Phase.AUTHN, port), policy.authentication()),
                both(extensions.http(Phase.AUTHZ, port), policy.authorization()),
                both(filters, both(extensions.http(Phase.STATS, port), extensions.http(Phase.UNSPECIFIED, port))),
                telemetry.httpLogs(),
                telemetry.requestTracing());
    }

    private TcpSlots tcp(Optional<MeshService> service, int port, TcpProxy proxy) {
        var policy = rulebook.policies().tcp(fetch, group.proxies(), service, destinations);
        var users = rulebook.users();
        var situation = users.situation(fetch, group.proxies(), service);
        var extensions = users.extensions(fetch, situation);
        var observed = proxy.toBuilder();
        users.telemetry(fetch, situation, destinations).addTo(observed);
        var before = both(extensions.network(Phase.AUTHN, port), extensions.network(Phase.AUTHZ, port));
        var after = both(extensions.network(Phase.STATS, port), extensions.network(Phase.UNSPECIFIED, port));
        return new TcpSlots(both(before, both(policy.filters(), after)), observed.build(), List.of());
    }

    private static <T> List<T> both(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
