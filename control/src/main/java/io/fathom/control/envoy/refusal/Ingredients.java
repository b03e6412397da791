// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.refusal;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.fathom.base.flow.Fetch;
import io.fathom.control.envoy.ingress.IngressServer;
import io.fathom.control.envoy.ingress.PortPlan;
import io.fathom.control.envoy.route.Entrance;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.control.envoy.waypoint.ServicePart;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.extension.EnvoyFilterManifest;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// What a resource of proxies is made from, with and without what is held back. Policies are never held back: without
/// them more would be let through than users want. Used by one derivation.
public final class Ingredients {
    /// What a resource was made from.
    ///
    /// @param wanted by users
    /// @param admitted of that, in order: what comes first is suspected last
    public record Made(ResourceKey resource, Map<PartKey, Ingredient> wanted, Map<PartKey, Ingredient> admitted) {}

    private final ResourceKey resource;
    private final Map<PartKey, Ingredient> wanted = new LinkedHashMap<>();
    private Map<PartKey, Ingredient> admitted = Map.of();

    public Ingredients(ResourceKey resource) {
        this.resource = resource;
    }

    /// What services add to the listener of a waypoint.
    public void addServices(Map<PartKey, ServicePart> parts) {
        parts.forEach(
                (key, part) -> wanted.put(key, new Ingredient(part.service().id(), part)));
    }

    /// A cluster before users change it; the object that it comes from may be why it is refused.
    public void addCluster(Cluster cluster) {
        var object = Refusal.origin(cluster.getMetadata(), resource.group());
        wanted.put(new PartKey(resource, resource.name()), new Ingredient(object, cluster));
    }

    public void addRoutes(List<RouteManifest> routes, List<VirtualServiceManifest> virtualServices) {
        routes.forEach(this::add);
        virtualServices.forEach(this::add);
    }

    public void addRoutes(List<Entrance> entrances) {
        entrances.forEach(entrance -> addRoutes(
                entrance.routes().stream().map(Entrance.Attached::route).toList(), entrance.virtualServices()));
    }

    public void addFilters(List<EnvoyFilterManifest> filters) {
        filters.forEach(this::add);
    }

    public void addServers(PortPlan plan) {
        plan.claims()
                .forEach(claim -> wanted.put(
                        key(claim.server()), new Ingredient(claim.server().owner(), claim.server())));
    }

    private void add(Manifest manifest) {
        var object = ManifestId.of(manifest);
        wanted.put(new PartKey(resource, object.path()), new Ingredient(object, manifest));
    }

    private PartKey key(IngressServer server) {
        return new PartKey(resource, server.owner().path() + "/" + server.name());
    }

    /// To be called once, after everything is there.
    public void admit(Fetch<?> fetch, Quarantine quarantine) {
        admitted = quarantine.admitted(fetch, resource, wanted);
    }

    public Made made() {
        return new Made(resource, Map.copyOf(wanted), new LinkedHashMap<>(admitted));
    }

    public List<Entrance> entrances(List<Entrance> all) {
        return all.stream()
                .map(entrance -> new Entrance(
                        entrance.gateway(),
                        entrance.hostnames(),
                        entrance.routes().stream().flatMap(this::attached).toList(),
                        virtualServices(entrance.virtualServices()),
                        entrance.plainRequests()))
                .toList();
    }

    private Stream<Entrance.Attached> attached(Entrance.Attached own) {
        return routes(List.of(own.route())).stream().map(route -> new Entrance.Attached(route, own.hosts()));
    }

    /// What is admitted of them.
    public List<RouteManifest> routes(List<RouteManifest> all) {
        return all.stream().flatMap(route -> found(route, RouteManifest.class)).toList();
    }

    public List<VirtualServiceManifest> virtualServices(List<VirtualServiceManifest> all) {
        return all.stream()
                .flatMap(own -> found(own, VirtualServiceManifest.class))
                .toList();
    }

    private <M extends Manifest> Stream<M> found(Manifest manifest, Class<M> type) {
        var own = admitted.get(new PartKey(resource, ManifestId.of(manifest).path()));
        return own == null ? Stream.empty() : Stream.of(type.cast(own.content()));
    }

    /// What services add, in the order in which they came.
    public List<ServicePart> services() {
        return contents(ServicePart.class);
    }

    /// The cluster as it was last taken. One that never was stays: an Envoy may have it from before anybody changed it.
    public Cluster cluster(Cluster own) {
        return contents(Cluster.class).stream().findFirst().orElse(own);
    }

    private <T> List<T> contents(Class<T> type) {
        return admitted.values().stream()
                .map(Ingredient::content)
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    /// The port with what is admitted of its servers.
    public PortPlan plan(PortPlan plan) {
        return plan.with(
                server -> Optional.ofNullable(admitted.get(key(server))).map(own -> (IngressServer) own.content()));
    }

    /// Whether nothing is held back.
    public boolean isComplete() {
        return admitted.equals(wanted);
    }

    /// The EnvoyFilters that are admitted.
    public List<EnvoyFilterManifest> filters() {
        return contents(EnvoyFilterManifest.class);
    }
}
