// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import com.google.protobuf.Message;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.ambient.network.GatewaySite;
import io.fathom.control.envoy.cluster.BackendTls.Authorities;
import io.fathom.control.envoy.cluster.BuiltCluster;
import io.fathom.control.envoy.cluster.CaSecrets;
import io.fathom.control.envoy.cluster.Clusters;
import io.fathom.control.envoy.cluster.EndpointPlan;
import io.fathom.control.envoy.cluster.Endpoints;
import io.fathom.control.envoy.cluster.Placement;
import io.fathom.control.envoy.cluster.ProxyLocation;
import io.fathom.control.envoy.cluster.ServiceTraffic;
import io.fathom.control.envoy.view.ClusterName.Direction;
import io.fathom.control.envoy.view.Member;
import io.fathom.control.envoy.view.MeshService;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.model.mesh.GatewayAddress.GatewayDestination;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.Service.WeightedWaypoint;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.xds.store.XdsType;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Clusters and endpoints of what proxy groups use. An endpoint set is computed and encoded once for all groups and
/// proxies that see it the same way.
final class GroupClusters {
    /// An endpoint set as some proxies see it.
    ///
    /// @param waypoints that it consists of; empty when it is members
    /// @param families of addresses that they can dial; the same for all where nothing is on another network
    private record SetKey(
            EndpointPlan plan, ProxyLocation vantage, List<WeightedWaypoint> waypoints, Set<Ip.Family> families) {}

    private final MeshFlow mesh;
    private final MeshServices services;
    private final Members members;
    private final Groups groups;
    private final Rulebook rulebook;
    private final FarEndpoints far;
    private final IngressEntrances entrances;
    private final Table<ResourceKey, PatchedClusters.Plain> clusters;
    private final Table<ResourceKey, Message> secrets;
    private final Table<ResourceKey, Map<ProxyLocation, Encoded>> endpoints;

    /// @param uses by the key of their cluster
    GroupClusters(
            MeshFlow mesh,
            Groups groups,
            MeshServices services,
            Members members,
            Rulebook rulebook,
            FarEndpoints far,
            IngressEntrances entrances,
            Table<ResourceKey, ClusterUse> uses) {
        this.mesh = mesh;
        this.groups = groups;
        this.services = services;
        this.members = members;
        this.rulebook = rulebook;
        this.far = far;
        this.entrances = entrances;
        var flow = mesh.flow();
        var built = flow.derive("envoy/built-clusters", uses, this::cluster);
        clusters = flow.derive(
                "envoy/clusters-of-services",
                built,
                (fetch, cluster) ->
                        fetch.own(uses).map(use -> new PatchedClusters.Plain(use.key(), cluster.cluster())));
        secrets = flow.deriveMany("envoy/authorities", uses, this::authorities);
        var plans = flow.derive("envoy/endpoint-plans", built, (_, cluster) -> cluster.endpoints());
        var wanted = flow.deriveMany("envoy/endpoint-sets-wanted", uses, (fetch, use) -> {
            var result = new HashMap<SetKey, SetKey>();
            fetch.own(plans).ifPresent(plan -> views(fetch, use, plan).values().forEach(key -> result.put(key, key)));
            return result;
        });
        var sets = flow.derive("envoy/endpoint-sets", wanted, this::endpoints);
        var shared = flow.derive(
                "envoy/endpoints-by-cluster",
                uses,
                (fetch, use) -> fetch.own(plans).map(plan -> {
                    var result = new LinkedHashMap<ProxyLocation, Encoded>();
                    views(fetch, use, plan)
                            .forEach((vantage, key) -> fetch.one(sets, key).ifPresent(set -> result.put(vantage, set)));
                    return Map.copyOf(result);
                }));
        endpoints = flow.rekey(
                "envoy/endpoints", shared, (key, _) -> new ResourceKey(key.group(), XdsType.ENDPOINTS, key.name()));
    }

    /// As they are before users change them.
    Table<ResourceKey, PatchedClusters.Plain> clusters() {
        return clusters;
    }

    /// The authorities that clusters trust.
    Table<ResourceKey, Message> secrets() {
        return secrets;
    }

    /// What proxies see from each of their group's vantages; the same bytes wherever it is the same.
    Table<ResourceKey, Map<ProxyLocation, Encoded>> endpoints() {
        return endpoints;
    }

    private Optional<BuiltCluster> cluster(Fetch<ResourceKey> fetch, ClusterUse use) {
        var group = fetch.one(groups.table(), use.group());
        var service = fetch.one(services.table(), use.service());
        var port = service.flatMap(own -> own.port(use.port()));
        if (group.isEmpty() || service.isEmpty() || port.isEmpty()) {
            return Optional.empty();
        }
        var clusters = new Clusters(
                group.get().proxySettings().withClientCertificate(entrances.clientCertificate(fetch, group.get())));
        var isEastWest = group.get().proxies().role() == ProxyRole.EAST_WEST;
        if (isEastWest && use.name().direction() == Direction.INBOUND_VIP) {
            return Optional.of(clusters.behindGateway(service.get(), port.get()));
        }
        var traffic = isEastWest
                ? ServiceTraffic.NONE
                : rulebook.traffic(fetch, group.get().proxies(), service.get());
        var built = use.name().direction() == Direction.INBOUND_VIP
                ? clusters.behindWaypoint(
                        service.get(), port.get(), traffic, () -> members.labelled(fetch, use.service()))
                : clusters.outbound(
                        group.get().proxies().role(),
                        service.get(),
                        port.get(),
                        traffic,
                        () -> members.labelled(fetch, use.service()));
        return built.stream()
                .filter(cluster -> cluster.name().equals(use.name()))
                .findFirst()
                .map(cluster -> far.mayReach(fetch, group.get().proxies().role(), use.service())
                        ? cluster.passingOverGateways()
                        : cluster);
    }

    private Map<ResourceKey, Message> authorities(Fetch<ResourceKey> fetch, ClusterUse use) {
        var result = new LinkedHashMap<ResourceKey, Message>();
        var group = fetch.one(groups.table(), use.group());
        var service = fetch.one(services.table(), use.service());
        if (group.isPresent() && service.isPresent() && group.get().proxies().role() != ProxyRole.EAST_WEST) {
            for (var tls : rulebook.traffic(fetch, group.get().proxies(), service.get())
                    .tls()) {
                if (tls.authorities() instanceof Authorities.Bundle(var configMap)) {
                    fetch.one(mesh.manifests(CaBundleManifest.class), configMap)
                            .map(CaSecrets::of)
                            .ifPresent(secret ->
                                    result.put(new ResourceKey(use.group(), XdsType.SECRET, secret.getName()), secret));
                }
            }
        }
        return result;
    }

    /// For each vantage of the group the set that is seen from there.
    private Map<ProxyLocation, SetKey> views(Fetch<ResourceKey> fetch, ClusterUse use, EndpointPlan wanted) {
        var result = new LinkedHashMap<ProxyLocation, SetKey>();
        var group = fetch.one(groups.table(), use.group());
        var families = far.areKnown(fetch)
                ? group.map(own -> own.settings().families()).orElse(Set.of())
                : Set.<Ip.Family>of();
        var plan = group.map(own -> wanted.with(own.capture())).orElse(wanted);
        fetch.one(services.table(), use.service()).ifPresent(service -> {
            var waypoints = waypoints(fetch, use, plan, service);
            groups.vantages(fetch, use.group())
                    .forEach(vantage -> result.put(
                            vantage, new SetKey(plan, Endpoints.vantage(plan, service, vantage), waypoints, families)));
        });
        return result;
    }

    /// None for proxies that are one of them: what they send would come back.
    private List<WeightedWaypoint> waypoints(
            Fetch<ResourceKey> fetch, ClusterUse use, EndpointPlan plan, MeshService service) {
        var waypoints = Endpoints.waypoints(plan, service);
        if (waypoints.isEmpty()) {
            return waypoints;
        }
        var own = fetch.one(mesh.gateways(), use.group()).flatMap(GatewaySite::address);
        var isOne = waypoints.stream()
                .map(WeightedWaypoint::destination)
                .anyMatch(address -> own.filter(address::equals).isPresent());
        return isOne ? List.of() : waypoints;
    }

    private Optional<Encoded> endpoints(Fetch<SetKey> fetch, SetKey key) {
        var plan = key.plan();
        return fetch.one(services.table(), plan.service()).map(service -> {
            var set = key.waypoints().isEmpty()
                    ? Endpoints.of(
                            plan,
                            service,
                            members(fetch, plan, service),
                            far.of(fetch, plan, key.vantage().network(), key.families()),
                            key.vantage())
                    : Endpoints.through(
                            plan,
                            service,
                            key.waypoints().stream()
                                    .map(share -> new Endpoints.Via(
                                            share.destination(),
                                            share.weight(),
                                            members(fetch, share.destination().destination())))
                                    .toList(),
                            key.vantage());
            return Encoded.of(plan.cluster().toString(), set);
        });
    }

    /// Labels cost a lookup for each member, so they are only there where they matter.
    private List<Member> members(Fetch<SetKey> fetch, EndpointPlan plan, MeshService service) {
        var key = service.service().key();
        var labelled = !plan.labels().isEmpty()
                || plan.role() != ProxyRole.WAYPOINT
                || plan.placement() instanceof Placement.SameLabels;
        return labelled ? members.labelled(fetch, key) : members.plain(fetch, key);
    }

    private List<Member> members(Fetch<SetKey> fetch, GatewayDestination waypoint) {
        return switch (waypoint) {
            case GatewayDestination.ByHostname(var host) -> members.plain(fetch, host.key());
            case GatewayDestination.ByAddress _ -> List.of();
        };
    }
}
