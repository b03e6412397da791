// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Index;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.ambient.input.ProxyKind;
import io.fathom.control.ambient.input.WorkloadSources;
import io.fathom.control.ambient.network.GatewayKind;
import io.fathom.control.ambient.network.GatewaySite;
import io.fathom.control.envoy.cluster.Capture;
import io.fathom.control.envoy.cluster.ProxyLocation;
import io.fathom.control.envoy.cluster.SecretSource;
import io.fathom.control.envoy.view.Member;
import io.fathom.control.envoy.view.ProxyGroup;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.waypoint.WaypointSettings;
import io.fathom.control.envoy.waypoint.WaypointSettings.ClientIdentity;
import io.fathom.control.envoy.waypoint.WaypointSettings.Workloads;
import io.fathom.model.mesh.GatewayAddress;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Workload;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The proxy groups, one for each Gateway that proxies run for, and which of them an address means.
final class Groups {
    private static final String CLIENT_IDENTITY = "ambient.istio.io/xfcc-include-client-identity";
    /// How a proxy says which Gateway it belongs to.
    static final String GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name";

    private final MeshFlow mesh;
    private final Members members;
    private final Table<ObjectKey, Group> table;
    private final Table<ObjectKey, Map<String, ProxyLocation>> vantages;
    private final Table<ObjectKey, Set<String>> accounts;
    private final Index<GatewayAddress, ObjectKey, GatewaySite> byAddress;
    private final Table<GatewayAddress, List<ObjectKey>> waypoints;
    private final Index<ObjectKey, ObjectKey, PodManifest> pods;

    Groups(MeshFlow mesh, Members members) {
        this.mesh = mesh;
        this.members = members;
        byAddress = mesh.flow()
                .index(
                        "envoy/gateways-by-address",
                        mesh.gateways(),
                        site -> site.address()
                                .filter(_ -> site.kind() == GatewayKind.WAYPOINT)
                                .map(Set::of)
                                .orElse(Set.of()));
        waypoints = mesh.flow()
                .reduce(
                        "envoy/waypoints-by-address",
                        byAddress,
                        (_, _, sites) ->
                                Optional.of(sites.stream().map(GatewaySite::key).toList()));
        pods = mesh.flow()
                .index(
                        "envoy/pods-by-gateway",
                        mesh.manifests(PodManifest.class),
                        pod -> Optional.ofNullable(pod.labels().get(GATEWAY_NAME))
                                .map(name -> Set.of(pod.key().sibling(name)))
                                .orElse(Set.of()));
        var selected = new SelectedProxies(mesh);
        table = mesh.flow()
                .join(
                        "envoy/groups",
                        List.of(
                                mesh.flow().derive("envoy/groups-of-gateways", mesh.gateways(), this::group),
                                selected.table()));
        vantages = mesh.flow()
                .join(
                        "envoy/vantages",
                        List.of(
                                mesh.flow().derive("envoy/vantages-of-gateways", mesh.gateways(), this::vantages),
                                selected.vantages()));
        accounts = mesh.flow()
                .join(
                        "envoy/accounts",
                        List.of(
                                mesh.flow()
                                        .reduce(
                                                "envoy/accounts-of-gateways",
                                                pods,
                                                (fetch, group, own) -> Optional.of(accounts(own))),
                                selected.accounts()));
    }

    /// The service accounts that their proxies run with; no row where no proxy is known.
    Table<ObjectKey, Set<String>> accounts() {
        return accounts;
    }

    static Set<String> accounts(List<PodManifest> pods) {
        return pods.stream().map(PodManifest::serviceAccount).collect(Collectors.toSet());
    }

    Table<ObjectKey, Group> table() {
        return table;
    }

    /// The waypoints that an address means.
    Table<GatewayAddress, List<ObjectKey>> waypoints() {
        return waypoints;
    }

    /// The waypoints that something goes through which names that address.
    List<ObjectKey> waypoints(Fetch<?> fetch, GatewayAddress address) {
        return fetch.all(byAddress, address).stream().map(GatewaySite::key).toList();
    }

    /// Where the proxies of groups stand, by the uid of their workload; the base of all has the empty uid.
    Table<ObjectKey, Map<String, ProxyLocation>> vantages() {
        return vantages;
    }

    /// The different places where proxies of a group stand.
    List<ProxyLocation> vantages(Fetch<?> fetch, ObjectKey group) {
        return fetch.one(vantages, group).orElse(Map.of()).values().stream()
                .distinct()
                .toList();
    }

    private Optional<Map<String, ProxyLocation>> vantages(Fetch<ObjectKey> fetch, GatewaySite site) {
        var result = new LinkedHashMap<String, ProxyLocation>();
        result.put("", ProxyLocation.on(site.network()));
        pods(fetch, site)
                .forEach(pod -> result.put(pod.workload().uid(), ProxyLocation.of(pod.workload(), pod.labels())));
        return Optional.of(result);
    }

    /// Those with its label, and whatever else is behind its service.
    private Collection<Member> pods(Fetch<ObjectKey> fetch, GatewaySite site) {
        var result = new LinkedHashMap<String, Member>();
        if (site.address().map(GatewayAddress::destination).orElse(null)
                instanceof GatewayDestination.ByHostname(var host)) {
            members.labelled(fetch, host.key())
                    .forEach(member -> result.put(member.workload().uid(), member));
        }
        for (var pod : fetch.all(pods, site.key())) {
            if (fetch.one(mesh.addresses(), WorkloadSources.podUid(pod.key())).orElse(null)
                    instanceof Workload workload) {
                result.putIfAbsent(workload.uid(), new Member(workload, pod.labels()));
            }
        }
        return result.values();
    }

    private Optional<Group> group(Fetch<ObjectKey> fetch, GatewaySite site) {
        return role(site.kind()).map(role -> {
            var labels = new HashMap<>(site.manifest().labels());
            labels.putAll(shared(fetch.all(pods, site.key())));
            labels.put(GATEWAY_NAME, site.key().name());
            return new Group(
                    new ProxyGroup(role, site.key(), labels, site.network()),
                    site.manifest(),
                    settings(fetch, site),
                    Capture.of(pods(fetch, site).stream().map(Member::workload).toList()));
        });
    }

    /// The labels that all pods have; selectors mean those.
    private static Map<String, String> shared(List<PodManifest> pods) {
        if (pods.isEmpty()) {
            return Map.of();
        }
        var result = new HashMap<>(SelectedProxies.own(pods.getFirst().labels()));
        pods.forEach(pod -> result.entrySet().retainAll(pod.labels().entrySet()));
        return result;
    }

    private static Optional<ProxyRole> role(GatewayKind kind) {
        return switch (kind) {
            case WAYPOINT -> Optional.of(ProxyRole.WAYPOINT);
            case INGRESS -> Optional.of(ProxyRole.INGRESS);
            case EAST_WEST -> Optional.of(ProxyRole.EAST_WEST);
            case REMOTE -> Optional.empty();
        };
    }

    private WaypointSettings settings(Fetch<ObjectKey> fetch, GatewaySite site) {
        var settings = mesh.settings(fetch);
        var trustDomains = new ArrayList<>(List.of(settings.trustDomain()));
        trustDomains.addAll(settings.trustDomainAliases());
        var told =
                site.manifest().annotations().getOrDefault(CLIENT_IDENTITY, "").equalsIgnoreCase("true");
        return new WaypointSettings(
                trustDomains,
                site.network(),
                families(fetch, site),
                told ? ClientIdentity.TOLD : ClientIdentity.WITHHELD,
                site.workloads() ? Workloads.SERVED : Workloads.NOT_SERVED,
                settings.traffic(),
                ProxyKind.of(site.manifest().annotations()) == ProxyKind.ENVOY_ONLY
                        ? SecretSource.MINT
                        : SecretSource.COMPANION,
                mesh.trust().ofProxies(fetch),
                mesh.config().keyExchange());
    }

    /// Those of its pods; where none is known, IPv4 unless its own address says otherwise.
    private Set<Ip.Family> families(Fetch<ObjectKey> fetch, GatewaySite site) {
        var result = EnumSet.noneOf(Ip.Family.class);
        pods(fetch, site).forEach(pod -> pod.workload().addresses().forEach(ip -> result.add(ip.family())));
        if (site.address().map(GatewayAddress::destination).orElse(null)
                instanceof GatewayDestination.ByAddress(var address)) {
            result.add(address.block().address().family());
        }
        if (result.isEmpty()) {
            result.add(Ip.Family.V4);
        }
        return result;
    }
}
