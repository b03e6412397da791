// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.ambient.network.PeerGateway;
import io.fathom.control.envoy.refusal.PartKey;
import io.fathom.control.envoy.view.ClusterName;
import io.fathom.control.envoy.view.ClusterName.ClusterLayer;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.MeshService.Resolution;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.control.envoy.waypoint.ControlPlaneWay;
import io.fathom.control.envoy.waypoint.Detour;
import io.fathom.control.envoy.waypoint.ServiceChains;
import io.fathom.control.envoy.waypoint.ServicePart;
import io.fathom.control.envoy.waypoint.ServicePart.PortPart;
import io.fathom.control.envoy.waypoint.TcpSlots;
import io.fathom.control.envoy.waypoint.TunnelSource;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.model.mesh.Identity;
import io.fathom.model.mesh.NamespacedHostname;
import io.fathom.model.mesh.Service.IngressWaypoint;
import io.fathom.model.peering.ControlPlanes;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// What each service adds to the gateways of its network: those that belong to all clusters, and their waypoints. Other
/// services are not reached from other networks.
final class EastWestParts {
    private static final String ALL = "";
    private static final int HBONE = 15008;
    private static final int CONTROL_PLANE_PORT = 15012;
    /// Where the control plane is that a gateway belongs to, if that is not a Service.
    private static final String CONTROL_PLANE = "fathom.io/control-plane";

    /// A name or an address, and a port.
    private record HostPort(String host, int port) {
        private static final Pattern FORM = Pattern.compile("\\[?([^\\[\\]]+)\\]?:([0-9]{1,5})");

        static Optional<HostPort> parse(String text) {
            var match = FORM.matcher(text.strip());
            return match.matches()
                    ? Optional.of(new HostPort(match.group(1), Integer.parseInt(match.group(2))))
                    : Optional.empty();
        }
    }

    private record Owned(ObjectKey group, MeshService service, List<Integer> ports) {}

    private final MeshFlow mesh;
    private final Groups groups;
    private final MeshServices services;
    private final Principals principals;
    private final Index<String, ObjectKey, Group> gateways;
    private final Index<GatewayAddress, String, MeshService> byWaypoint;
    private final Table<String, List<String>> controlPlanes;
    private final Table<PartKey, WaypointParts.WaypointPart> table;
    private final Index<ObjectKey, PartKey, WaypointParts.WaypointPart> byGroup;

    EastWestParts(MeshFlow mesh, Groups groups, MeshServices services) {
        this.mesh = mesh;
        this.groups = groups;
        this.services = services;
        this.principals = new Principals(mesh, groups);
        var flow = mesh.flow();
        gateways = flow.index(
                "envoy/east-west-gateways",
                groups.table(),
                group -> group.proxies().role() == ProxyRole.EAST_WEST ? Set.of(ALL) : Set.of());
        var global = flow.derive(
                "envoy/services-for-all-clusters",
                services.table(),
                (fetch, service) -> Optional.of(service).filter(_ -> isGlobal(fetch, service)));
        byWaypoint = flow.index(
                "envoy/services-for-all-clusters-by-waypoint",
                global,
                service -> service.service().waypoints());
        controlPlanes = flow.reduce(
                "envoy/control-planes-of-peers",
                flow.index("envoy/peers", mesh.peerGateways(), peer -> peer.isPeer() ? Set.of(ALL) : Set.<String>of()),
                (fetch, _, peers) -> Optional.of(controlPlanes(fetch, peers)));
        var owned = flow.deriveMany("envoy/east-west-owned", services.table(), this::owners);
        table = flow.derive(
                "envoy/east-west-parts",
                owned,
                (fetch, own) -> fetch.one(groups.table(), own.group()).map(group -> part(fetch, group, own)));
        byGroup = flow.index("envoy/east-west-parts-by-group", table, part -> Set.of(part.group()));
    }

    private List<String> controlPlanes(Fetch<?> fetch, List<PeerGateway> peers) {
        var own = mesh.settings(fetch).trustDomain();
        return peers.stream()
                .map(peer -> new Identity(
                                peer.trustDomain().orElse(own), mesh.config().systemNamespace(), ControlPlanes.ACCOUNT)
                        .uri())
                .distinct()
                .sorted()
                .toList();
    }

    Table<PartKey, WaypointParts.WaypointPart> table() {
        return table;
    }

    /// All of a group, oldest service first.
    Map<PartKey, ServicePart> of(Fetch<?> fetch, ObjectKey group) {
        return WaypointParts.oldestFirst(group, fetch.all(byGroup, group));
    }

    /// How control planes of other clusters reach ours through that gateway; empty while no Gateway stands for one.
    Optional<ControlPlaneWay> controlPlane(Fetch<?> fetch, Group group) {
        var peers = fetch.one(controlPlanes, ALL).orElse(List.of());
        if (peers.isEmpty()) {
            return Optional.empty();
        }
        var config = mesh.config();
        var named = Optional.ofNullable(group.gateway().annotations().get(CONTROL_PLANE))
                .flatMap(HostPort::parse);
        var usual = (config.revision().isEmpty() || config.revision().equals("default")
                        ? "istiod"
                        : "istiod-" + config.revision())
                + "." + config.systemNamespace() + ".svc";
        return Optional.of(named.map(place -> new ControlPlaneWay(place.host(), place.port(), peers))
                .orElseGet(() -> new ControlPlaneWay(usual, CONTROL_PLANE_PORT, peers)));
    }

    private boolean isGlobal(Fetch<String> fetch, MeshService service) {
        return service.resolution() == Resolution.ENDPOINTS
                && fetch.own(mesh.globalServices()).isPresent();
    }

    private Map<PartKey, Owned> owners(Fetch<String> fetch, MeshService service) {
        var own = fetch.all(gateways, ALL);
        if (own.isEmpty()) {
            return Map.of();
        }
        var ports = new ArrayList<Integer>();
        if (isGlobal(fetch, service)) {
            service.ports().forEach(port -> ports.add(port.number()));
        } else if (isWaypoint(fetch, service)) {
            ports.add(HBONE);
        }
        var result = new LinkedHashMap<PartKey, Owned>();
        if (!ports.isEmpty()) {
            own.forEach(group -> result.put(
                    PartKey.ofService(group.key(), service.service().key()), new Owned(group.key(), service, ports)));
        }
        return result;
    }

    /// Whether a service that belongs to all clusters goes through it.
    private boolean isWaypoint(Fetch<String> fetch, MeshService service) {
        var name = new GatewayDestination.ByHostname(new NamespacedHostname(service.namespace(), service.hostname()));
        return !fetch.all(byWaypoint, new GatewayAddress(name, HBONE)).isEmpty();
    }

    private WaypointParts.WaypointPart part(Fetch<PartKey> fetch, Group group, Owned own) {
        var uses = new LinkedHashMap<ResourceKey, ClusterUse>();
        var detour = detour(fetch, group, own.service(), uses);
        var ports = own.ports().stream()
                .map(port -> PortPart.forTunnels(port, chain(group, own.service(), port, uses), detour))
                .toList();
        return new WaypointParts.WaypointPart(group.key(), new ServicePart(own.service(), ports), Map.copyOf(uses));
    }

    private static FilterChain chain(Group group, MeshService service, int port, Map<ResourceKey, ClusterUse> uses) {
        var name = ClusterName.behindWaypoint(port, ClusterLayer.TCP, "", service.hostname());
        var use = new ClusterUse(group.key(), name, service.service().key(), port, ClusterLayer.TCP, "");
        uses.put(use.key(), use);
        return new ServiceChains(group.settings()).tcp(name, TcpSlots.of(name.toString()));
    }

    /// Empty for a service without a waypoint.
    private Optional<Detour> detour(
            Fetch<?> fetch, Group group, MeshService service, Map<ResourceKey, ClusterUse> uses) {
        var waypoints = service.service().waypoints();
        if (waypoints.isEmpty()) {
            return Optional.empty();
        }
        var chain = service.service()
                .waypoint()
                .or(() -> waypoints.stream().findFirst())
                .flatMap(waypoint -> service(fetch, waypoint))
                .map(waypoint -> chain(group, waypoint, HBONE, uses))
                .orElseGet(Detour::nowhere);
        var exempt = new LinkedHashSet<String>();
        // Only its own waypoint has applied what this service asks for.
        waypoints.stream()
                .flatMap(waypoint -> groups.waypoints(fetch, waypoint).stream())
                .flatMap(waypoint -> principals.of(fetch, waypoint).stream())
                .forEach(principal -> exempt.add(Detour.exempt(TunnelSource.WAYPOINT, principal)));
        if (service.service().ingressWaypoint() == IngressWaypoint.SKIPPED) {
            principals
                    .ofIngress(fetch)
                    .forEach(principal -> exempt.add(Detour.exempt(TunnelSource.GATEWAY, principal)));
        }
        return Optional.of(new Detour(chain, exempt));
    }

    private Optional<MeshService> service(Fetch<?> fetch, GatewayAddress waypoint) {
        return switch (waypoint.destination()) {
            case GatewayDestination.ByHostname(var host) -> fetch.one(services.table(), host.key());
            case GatewayDestination.ByAddress _ -> Optional.empty();
        };
    }
}
