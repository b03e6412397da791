// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.ingress.GatewayServers;
import io.fathom.control.envoy.ingress.IngressServer;
import io.fathom.control.envoy.ingress.IngressServer.Plaintext;
import io.fathom.control.envoy.ingress.IngressServer.ServerOrigin;
import io.fathom.control.envoy.ingress.IstioServers;
import io.fathom.control.envoy.route.Entrance;
import io.fathom.control.envoy.route.Entrance.Attached;
import io.fathom.control.envoy.route.Grants;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.gateway.GatewayVerdict;
import io.fathom.control.gateway.ListenerKey;
import io.fathom.control.gateway.RouteAttachPoint;
import io.fathom.control.gateway.RouteVerdict;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.manifest.Metadata;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.IstioGatewayManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest.HttpAction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The servers of ingress proxies, and which routes are in effect there. What was looked at is remembered by the flow.
final class IngressEntrances {
    private static final String ALL = "";
    /// Where VirtualServices are filed that others delegate to.
    private static final String DELEGATED = "";
    private static final Comparator<RouteManifest> OLDEST_FIRST =
            Comparator.comparing(RouteManifest::metadata, Metadata.OLDEST_FIRST);

    private final Table<ObjectKey, GatewayVerdict> gateways;
    private final Table<ManifestId, RouteVerdict> routes;
    private final Index<String, ObjectKey, IstioGatewayManifest> istioGateways;
    private final Index<String, ObjectKey, VirtualServiceManifest> byGateway;
    private final Index<RouteAttachPoint, ManifestId, RouteVerdict> byPlace;

    IngressEntrances(MeshFlow mesh) {
        var flow = mesh.flow();
        gateways = mesh.listeners().gateways();
        routes = mesh.verdicts().verdicts();
        byPlace = mesh.verdicts().byPlace();
        // There are few of them, and each may select any proxy.
        istioGateways =
                flow.index("envoy/istio-gateways", mesh.manifests(IstioGatewayManifest.class), _ -> Set.of(ALL));
        byGateway = flow.index(
                "envoy/virtual-services-by-gateway",
                mesh.manifests(VirtualServiceManifest.class),
                IngressEntrances::gateways);
    }

    private static Set<String> gateways(VirtualServiceManifest owner) {
        if (owner.hosts().isEmpty()) {
            return Set.of(DELEGATED);
        }
        return owner.gateways().stream()
                .filter(name -> !name.equals(VirtualServiceManifest.MESH))
                .map(name -> name.contains("/") ? name : owner.namespace() + "/" + name)
                .collect(Collectors.toSet());
    }

    /// Those of its Gateway and of ListenerSets, as far as they have verdicts that say so, then those of Istio Gateways
    /// that select its proxies, oldest first.
    List<IngressServer> servers(Fetch<ObjectKey> fetch, Group group) {
        var servers = new ArrayList<>(
                fetch.one(gateways, group.key()).map(GatewayServers::of).orElse(List.of()));
        fetch.all(istioGateways, ALL).stream()
                .filter(gateway -> selects(gateway, group))
                .sorted(Comparator.comparing(IstioGatewayManifest::metadata, Metadata.OLDEST_FIRST))
                .forEach(gateway ->
                        servers.addAll(IstioServers.of(gateway, group.proxies().namespace())));
        return servers;
    }

    /// The secret that ingress proxies show to backends, if their Gateway names one.
    Optional<String> clientCertificate(Fetch<?> fetch, Group group) {
        return group.proxies().role() == ProxyRole.INGRESS
                ? fetch.one(gateways, group.key()).flatMap(GatewayServers::clientCertificate)
                : Optional.empty();
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
        if (server.origin() != ServerOrigin.ISTIO) {
            var set = Optional.of(server.gateway()).filter(_ -> server.origin() == ServerOrigin.LISTENER_SET);
            var place = new RouteAttachPoint.AtListener(
                    new ListenerKey(group.gateway().key(), set, server.name()));
            var attached = fetch.all(byPlace, place).stream()
                    .sorted(Comparator.comparing(RouteVerdict::route, OLDEST_FIRST))
                    .map(verdict -> new Attached(verdict.route(), verdict.hosts(place)))
                    .toList();
            var host = server.hosts().getFirst();
            return Entrance.listener(host.equals("*") ? "" : host, attached);
        }
        var bound = fetch.all(byGateway, server.gateway().path()).stream()
                .filter(owner -> owner.isVisibleIn(group.proxies().namespace()))
                .sorted(Comparator.comparing(VirtualServiceManifest::metadata, Metadata.OLDEST_FIRST))
                .collect(Collectors.toCollection(ArrayList::new));
        if (bound.stream().anyMatch(IngressEntrances::delegates)) {
            bound.addAll(fetch.all(byGateway, DELEGATED)); // each says itself who may delegate to it
        }
        return Entrance.server(
                server.gateway().path(),
                server.hosts(),
                bound,
                server.plaintext() == Plaintext.REDIRECTED
                        ? Entrance.PlainRequests.REDIRECTED
                        : Entrance.PlainRequests.SERVED);
    }

    private static boolean delegates(VirtualServiceManifest owner) {
        return owner.http().stream().anyMatch(rule -> rule.action() instanceof HttpAction.Delegate);
    }

    /// Which backends routes may use: their own, and those that their verdicts name.
    Grants grants(Fetch<?> fetch) {
        return (route, backend) -> backend.namespaceFor(route.namespace()).equals(route.namespace())
                || fetch.one(routes, ManifestId.of(route))
                        .filter(verdict -> verdict.granted().contains(backend))
                        .isPresent();
    }
}
