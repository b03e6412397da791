package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.ingress.GatewayServers;
import io.fathom.control.envoy.ingress.IngressServer;
import io.fathom.control.envoy.ingress.IngressServer.Origin;
import io.fathom.control.envoy.ingress.IngressServer.Plaintext;
import io.fathom.control.envoy.ingress.IstioServers;
import io.fathom.control.envoy.route.Entrance;
import io.fathom.control.envoy.route.Grants;
import io.fathom.control.gateway.ListenerKey;
import io.fathom.control.gateway.RouteVerdict;
import io.fathom.wire.kube.IstioGatewayManifest;
import io.fathom.wire.kube.Metadata;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.kube.ReferenceGrantManifest;
import io.fathom.wire.kube.ReferenceGrantManifest.From;
import io.fathom.wire.kube.RouteManifest;
import io.fathom.wire.kube.VirtualServiceManifest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// The servers of ingress proxies, and which routes are in effect there. What was looked at is remembered by the flow.
final class IngressEntrances {
    private static final String ALL = "";
    private static final Comparator<RouteManifest> OLDEST_FIRST =
            Comparator.comparing(RouteManifest::metadata, Metadata.OLDEST_FIRST);

    private final Index<String, ObjectKey, IstioGatewayManifest> istioGateways;
    private final Index<String, ObjectKey, VirtualServiceManifest> byGateway;
    private final Index<String, ObjectKey, ReferenceGrantManifest> grants;
    private final Index<ListenerKey, String, RouteVerdict> byListener;

    IngressEntrances(MeshFlow mesh) {
        var flow = mesh.flow();
        // There are few of them, and each may select any proxy.
        istioGateways =
                flow.index("envoy/istio-gateways", mesh.manifests(IstioGatewayManifest.class), _ -> Set.of(ALL));
        byGateway = flow.index(
                "envoy/virtual-services-by-gateway",
                mesh.manifests(VirtualServiceManifest.class),
                IngressEntrances::gateways);
        grants = flow.index(
                "envoy/reference-grants-by-namespace",
                mesh.manifests(ReferenceGrantManifest.class),
                grant -> Set.of(grant.namespace()));
        byListener = flow.index("envoy/routes-by-listener", mesh.verdicts().verdicts(), RouteVerdict::attached);
    }

    private static Set<String> gateways(VirtualServiceManifest owner) {
        return owner.gateways().stream()
                .filter(name -> !name.equals(VirtualServiceManifest.MESH))
                .map(name -> name.contains("/") ? name : owner.namespace() + "/" + name)
                .collect(Collectors.toSet());
    }

    /// Those of its Gateway, then those of Istio Gateways that select its proxies, oldest first.
    List<IngressServer> servers(Fetch<ObjectKey> fetch, Group group) {
        var servers = new ArrayList<>(GatewayServers.of(
                group.gateway(), (from, kind, object) -> permits(fetch, "Gateway", from, kind, object)));
        fetch.all(istioGateways, ALL).stream()
                .filter(gateway -> selects(gateway, group))
                .sorted(Comparator.comparing(IstioGatewayManifest::metadata, Metadata.OLDEST_FIRST))
                .forEach(gateway ->
                        servers.addAll(IstioServers.of(gateway, group.proxies().namespace())));
        return servers;
    }

    private static boolean selects(IstioGatewayManifest gateway, Group group) {
        return !gateway.selector().isEmpty()
                && group.proxies()
                        .labels()
                        .entrySet()
                        .containsAll(gateway.selector().entrySet());
    }

    /// A server with its routes.
    Entrance entrance(Fetch<?> fetch, Group group, IngressServer server) {
        if (server.origin() == Origin.GATEWAY_API) {
            var routes = fetch.all(byListener, new ListenerKey(server.gateway(), server.name())).stream()
                    .map(RouteVerdict::route)
                    .sorted(OLDEST_FIRST)
                    .toList();
            var host = server.hosts().getFirst();
            return Entrance.listener(host.equals("*") ? "" : host, routes);
        }
        var bound = fetch.all(byGateway, server.gateway().path()).stream()
                .filter(owner -> owner.isVisibleIn(group.proxies().namespace()))
                .sorted(Comparator.comparing(VirtualServiceManifest::metadata, Metadata.OLDEST_FIRST))
                .toList();
        return Entrance.server(
                server.gateway().path(),
                server.hosts(),
                bound,
                server.plaintext() == Plaintext.REDIRECTED
                        ? Entrance.PlainRequests.REDIRECTED
                        : Entrance.PlainRequests.SERVED);
    }

    /// Which backends of other namespaces routes may use.
    Grants grants(Fetch<?> fetch) {
        return (route, backend) -> {
            var namespace = backend.namespaceFor(route.namespace());
            return namespace.equals(route.namespace())
                    || fetch.all(grants, namespace).stream()
                            .filter(grant ->
                                    grant.key().cluster().equals(route.key().cluster()))
                            .anyMatch(grant -> grant.permits(
                                    new From(RouteManifest.GROUP, route.kind(), route.namespace()),
                                    backend.group(),
                                    backend.kind(),
                                    backend.name()));
        };
    }

    private boolean permits(Fetch<?> fetch, String from, String fromNamespace, String kind, ObjectKey object) {
        return fetch.all(grants, object.namespace()).stream()
                .filter(grant -> grant.key().cluster().equals(object.cluster()))
                .anyMatch(grant ->
                        grant.permits(new From(RouteManifest.GROUP, from, fromNamespace), "", kind, object.name()));
    }
}
