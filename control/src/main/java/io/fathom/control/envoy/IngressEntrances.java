package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.envoy.ingress.GatewayServers;
import io.fathom.control.envoy.ingress.IngressServer;
import io.fathom.control.envoy.ingress.IngressServer.Origin;
import io.fathom.control.envoy.ingress.IngressServer.Plaintext;
import io.fathom.control.envoy.ingress.IstioServers;
import io.fathom.control.envoy.route.Entrance;
import io.fathom.control.envoy.route.Grants;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.gateway.ListenerKey;
import io.fathom.control.gateway.RouteVerdict;
import io.fathom.wire.kube.GatewayManifest;
import io.fathom.wire.kube.IstioGatewayManifest;
import io.fathom.wire.kube.ListenerSetManifest;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.Metadata;
import io.fathom.wire.kube.NamespaceManifest;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.kube.ReferenceGrantManifest;
import io.fathom.wire.kube.ReferenceGrantManifest.From;
import io.fathom.wire.kube.RouteManifest;
import io.fathom.wire.kube.VirtualServiceManifest;
import io.fathom.wire.kube.VirtualServiceManifest.HttpAction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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

    private final Index<ObjectKey, ObjectKey, ListenerSetManifest> listenerSets;
    private final Table<ObjectKey, NamespaceManifest> namespaces;
    private final Index<String, ObjectKey, IstioGatewayManifest> istioGateways;
    private final Index<String, ObjectKey, VirtualServiceManifest> byGateway;
    private final Index<String, ObjectKey, ReferenceGrantManifest> grants;
    private final Index<ListenerKey, ManifestId, RouteVerdict> byListener;

    IngressEntrances(MeshFlow mesh) {
        var flow = mesh.flow();
        namespaces = mesh.manifests(NamespaceManifest.class);
        listenerSets = flow.index(
                "envoy/listener-sets-by-gateway",
                mesh.manifests(ListenerSetManifest.class),
                set -> set.parent().isGateway() ? Set.of(set.gateway()) : Set.of());
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
        if (owner.hosts().isEmpty()) {
            return Set.of(DELEGATED);
        }
        return owner.gateways().stream()
                .filter(name -> !name.equals(VirtualServiceManifest.MESH))
                .map(name -> name.contains("/") ? name : owner.namespace() + "/" + name)
                .collect(Collectors.toSet());
    }

    /// Those of its Gateway and of ListenerSets that it allows, then those of Istio Gateways that select its proxies,
    /// oldest first.
    List<IngressServer> servers(Fetch<ObjectKey> fetch, Group group) {
        var servers = new ArrayList<>(GatewayServers.of(
                group.gateway(),
                listenerSets(fetch, group.gateway()),
                (from, kind, object) -> permits(fetch, from, kind, object)));
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
                ? GatewayServers.clientCertificate(
                        group.gateway(), (from, kind, object) -> permits(fetch, from, kind, object))
                : Optional.empty();
    }

    private List<ListenerSetManifest> listenerSets(Fetch<?> fetch, GatewayManifest gateway) {
        return fetch.all(listenerSets, gateway.key()).stream()
                .filter(set -> gateway.allowedListeners()
                        .permits(gateway.namespace(), set.namespace(), () -> labels(fetch, set.key())))
                .sorted(Comparator.comparing(ListenerSetManifest::metadata, Metadata.OLDEST_FIRST))
                .toList();
    }

    private Map<String, String> labels(Fetch<?> fetch, ObjectKey inNamespace) {
        return fetch.one(namespaces, new ObjectKey(inNamespace.cluster(), "", inNamespace.namespace()))
                .map(NamespaceManifest::labels)
                .orElseGet(() -> Map.of("kubernetes.io/metadata.name", inNamespace.namespace()));
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
        if (server.origin() != Origin.ISTIO) {
            var set = Optional.of(server.gateway()).filter(_ -> server.origin() == Origin.LISTENER_SET);
            var listener = new ListenerKey(group.gateway().key(), set, server.name());
            var routes = fetch.all(byListener, listener).stream()
                    .map(RouteVerdict::route)
                    .sorted(OLDEST_FIRST)
                    .toList();
            var host = server.hosts().getFirst();
            return Entrance.listener(host.equals("*") ? "" : host, routes);
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

    private boolean permits(Fetch<?> fetch, GatewayServers.Referrer from, String kind, ObjectKey object) {
        return fetch.all(grants, object.namespace()).stream()
                .filter(grant -> grant.key().cluster().equals(object.cluster()))
                .anyMatch(grant -> grant.permits(
                        new From(RouteManifest.GROUP, from.kind(), from.key().namespace()), "", kind, object.name()));
    }
}
