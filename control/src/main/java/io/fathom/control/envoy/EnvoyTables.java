// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy;

import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.MeshFlow;
import io.fathom.control.ambient.network.GatewaySite;
import io.fathom.control.envoy.PatchedClusters.Plain;
import io.fathom.control.envoy.cluster.FixedClusters;
import io.fathom.control.envoy.cluster.ProxyLocation;
import io.fathom.control.envoy.refusal.Ingredients;
import io.fathom.control.envoy.refusal.Ingredients.Made;
import io.fathom.control.envoy.refusal.PartKey;
import io.fathom.control.envoy.refusal.Quarantine;
import io.fathom.control.envoy.refusal.RefusalFinder;
import io.fathom.control.envoy.refusal.Refusals;
import io.fathom.control.envoy.view.ProxyRole;
import io.fathom.control.envoy.view.ResourceKey;
import io.fathom.control.envoy.waypoint.ControlPlaneWay;
import io.fathom.control.envoy.waypoint.DirectChains;
import io.fathom.control.envoy.waypoint.EastWestListeners;
import io.fathom.control.envoy.waypoint.WaypointListeners;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.control.problem.ProblemTables;
import io.fathom.model.mesh.Ip;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.extension.EnvoyFilterManifest;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// All tables, put together in the order in which they settle. Reads from top to bottom like a recipe.
final class EnvoyTables {
    /// What happens to the traffic of workloads themselves.
    private record Direct(DirectChains chains, Map<ResourceKey, ClusterUse> uses) {}

    /// The listeners of a waypoint.
    ///
    /// @param made what each listener was made from
    record WaypointPlan(ObjectKey group, List<Listener> listeners, List<Made> made) {}

    private final MeshFlow mesh;
    private final Quarantine quarantine;
    private final Refusals refusals;
    private final Table<ResourceKey, Made> made;
    private final FormerWaypoints former;
    private final Ownership ownership;
    private final Members members;
    private final WaypointParts parts;
    private final EastWestParts eastWest;
    private final FarEndpoints far;
    private final Groups groups;
    private final Rulebook rulebook;
    private final Table<ObjectKey, Direct> direct;
    private final Source<ProblemKey, ObjectProblem> reported;
    private final Table<ProblemKey, ObjectProblem> problems;
    private final Table<ManifestId, List<ObjectProblem>> problemsByObject;
    private final Table<ManifestId, ManifestId> needed;
    private final List<Table<ResourceKey, Message>> messages;
    private final Table<ResourceKey, Map<ProxyLocation, Encoded>> endpoints;

    EnvoyTables(MeshFlow mesh, FormerWaypoints.Keeping keeping) {
        this.mesh = mesh;
        var flow = mesh.flow();

        // what there is
        var services = new MeshServices(mesh);
        former = new FormerWaypoints(mesh, keeping);
        members = new Members(mesh, former);
        groups = new Groups(mesh, members);
        rulebook = new Rulebook(mesh, groups);
        far = new FarEndpoints(mesh, services);

        // what is held back of it
        quarantine = new Quarantine(flow);
        refusals = new Refusals(flow);

        // what services and workloads add to their waypoints
        ownership = new Ownership(mesh, groups, services, former);
        var routes = new WaypointRoutes(mesh, groups, ownership, rulebook, quarantine);
        parts = new WaypointParts(mesh, groups, ownership, rulebook, routes);
        eastWest = new EastWestParts(mesh, groups, services);
        var allParts = flow.join("envoy/all-parts", List.of(parts.table(), eastWest.table()));
        direct = flow.derive("envoy/direct", groups.table(), (fetch, group) -> direct(fetch, group, ownership));

        // what comes in from outside
        var entrances = new IngressEntrances(mesh);
        var ingress = new IngressParts(mesh, groups, services, rulebook, entrances, far, quarantine);

        // what proxies need
        var waypoints = flow.derive("envoy/waypoints", groups.table(), this::waypoint);
        Table<ResourceKey, Message> listeners =
                flow.deriveMany("envoy/listeners", waypoints, (_, plan) -> listeners(plan));
        Table<ResourceKey, Plain> fixed = flow.deriveMany("envoy/fixed-clusters", groups.table(), this::fixed);
        Table<ResourceKey, Message> extensions = flow.deriveMany(
                "envoy/extension-configs",
                groups.table(),
                (fetch, group) -> rulebook.users().extensionConfigs(fetch, group.key()));
        var uses = flow.join(
                "envoy/uses",
                List.of(
                        flow.deriveMany("envoy/uses-of-parts", allParts, (_, part) -> part.uses()),
                        flow.deriveMany("envoy/uses-of-workloads", direct, (_, own) -> own.uses()),
                        routes.uses(),
                        ingress.uses()));
        var secrets = new IngressSecrets(mesh, groups, entrances, services, rulebook, uses);
        needed = flow.join(
                "envoy/needed-objects", List.of(mesh.listeners().needed(), secrets.objects(), authorities(mesh)));
        var backends = new GroupClusters(mesh, groups, services, members, rulebook, far, entrances, uses);
        var users = rulebook.users();
        var clusters = new PatchedClusters(
                flow,
                groups,
                users,
                quarantine,
                flow.join("envoy/plain-clusters", List.of(backends.clusters(), fixed)));
        var added = new AddedResources(
                flow, groups, users, quarantine, List.of(clusters.table(), listeners, ingress.listeners()));
        made = flow.join(
                "envoy/made",
                List.of(
                        flow.deriveMany("envoy/waypoint-made-listeners", waypoints, (_, plan) -> made(plan)),
                        routes.made(),
                        ingress.made(),
                        clusters.made(),
                        added.made()));
        Table<ResourceKey, Message> trust = flow.deriveMany(
                "envoy/trust", groups.table(), (fetch, group) -> GroupTrust.secret(mesh.trust(), fetch, group));
        messages = List.of(
                trust,
                clusters.table(),
                backends.secrets(),
                added.table(),
                listeners,
                routes.tables(),
                ingress.listeners(),
                ingress.routeTables(),
                secrets.table(),
                extensions);
        endpoints = backends.endpoints();
        reported = flow.source("envoy/reported-gateways");
        problems = flow.join(
                "envoy/problems",
                List.of(
                        rulebook.policies().problems(),
                        rulebook.users().problems(),
                        quarantine.problems(flow.deriveMany("envoy/ingredients", made, (_, row) -> row.wanted())),
                        refusals.problems(),
                        reported,
                        secrets.problems(),
                        new PortProblems(mesh, groups, entrances).table(),
                        far.problems(),
                        new RouteProblems(mesh, services, rulebook.trafficRules()).table()));
        problemsByObject = ProblemTables.byObject(flow, "envoy/problems-by-object", problems);
    }

    /// The ConfigMaps that BackendTLSPolicies name.
    private static Table<ManifestId, ManifestId> authorities(MeshFlow mesh) {
        return mesh.flow()
                .deriveMany(
                        "envoy/authority-objects",
                        mesh.manifests(BackendTlsPolicyManifest.class),
                        (_, policy) -> policy.authorities().stream()
                                .filter(ref ->
                                        ref.group().isEmpty() && ref.kind().equals("ConfigMap"))
                                .map(ref -> new ManifestId(
                                        CaBundleManifest.class, policy.key().sibling(ref.name())))
                                .distinct()
                                .collect(Collectors.toMap(object -> object, object -> object)));
    }

    /// Resources by group, type and name.
    List<Table<ResourceKey, Message>> messages() {
        return messages;
    }

    /// Endpoints by group and cluster; encoded already, and the same bytes for many groups.
    Table<ResourceKey, Map<ProxyLocation, Encoded>> endpoints() {
        return endpoints;
    }

    /// Which waypoints services and workloads went through.
    FormerWaypoints former() {
        return former;
    }

    /// What tells when waypoints serve something.
    WaypointOffers offers() {
        return new WaypointOffers(mesh, groups, ownership, parts, made);
    }

    /// The groups that there are.
    Table<ObjectKey, Group> groups() {
        return groups.table();
    }

    /// The service accounts that the proxies of groups run with.
    Table<ObjectKey, Set<String>> accounts() {
        return groups.accounts();
    }

    /// The Secrets and ConfigMaps that have to be brought.
    Table<ManifestId, ManifestId> neededObjects() {
        return needed;
    }

    /// Where proxies stand.
    Table<ObjectKey, Map<String, ProxyLocation>> vantages() {
        return groups.vantages();
    }

    /// What is needed to find what proxies refuse.
    RefusalFinder.Tables refusals() {
        return new RefusalFinder.Tables(quarantine, refusals, made, messages);
    }

    /// The same, all of an object together.
    Table<ManifestId, List<ObjectProblem>> problemsByObject() {
        return problemsByObject;
    }

    /// What is wrong with objects.
    Table<ProblemKey, ObjectProblem> problems() {
        return problems;
    }

    /// What others found out about proxies.
    Source<ProblemKey, ObjectProblem> reported() {
        return reported;
    }

    Rulebook rulebook() {
        return rulebook;
    }

    private Optional<Direct> direct(Fetch<ObjectKey> fetch, Group group, Ownership ownership) {
        if (group.proxies().role() != ProxyRole.WAYPOINT) {
            return Optional.empty();
        }
        var destinations = ownership.destinations(fetch, group.key());
        var chains = new ChainWriter(fetch, rulebook, group, destinations).direct();
        return Optional.of(new Direct(chains, destinations.uses()));
    }

    private Optional<WaypointPlan> waypoint(Fetch<ObjectKey> fetch, Group group) {
        var filters = rulebook.users().filters(fetch, group.proxies());
        var shared = ingredients(group, PartKey.SHARED_LISTENER, filters);
        if (group.proxies().role() == ProxyRole.EAST_WEST) {
            shared.addServices(eastWest.of(fetch, group.key()));
            shared.admit(fetch, quarantine);
            return Optional.of(patched(
                    fetch,
                    group,
                    filters,
                    shared,
                    EastWestListeners.of(group.settings(), shared.services(), eastWest.controlPlane(fetch, group))));
        }
        return fetch.own(direct).map(own -> {
            shared.addServices(parts.of(fetch, group.key()));
            shared.admit(fetch, quarantine);
            var listeners = new ArrayList<>(WaypointListeners.of(
                    group.settings(),
                    shared.services(),
                    workloads(fetch, group),
                    own.chains(),
                    fetch.one(mesh.entrances(), group.proxies().network())));
            listeners.addAll(far.listeners(fetch, group));
            return patched(fetch, group, filters, shared, listeners);
        });
    }

    /// What a listener is made from, beginning with what users change in it.
    private static Ingredients ingredients(Group group, String listener, List<EnvoyFilterManifest> filters) {
        var result = new Ingredients(ResourceKey.listener(group.key(), listener));
        result.addFilters(filters);
        return result;
    }

    private WaypointPlan patched(
            Fetch<?> fetch,
            Group group,
            List<EnvoyFilterManifest> filters,
            Ingredients shared,
            List<Listener> listeners) {
        var result = new ArrayList<Listener>();
        var made = new ArrayList<Made>();
        for (var listener : listeners) {
            var own = shared;
            if (!listener.getName().equals(PartKey.SHARED_LISTENER)) {
                own = ingredients(group, listener.getName(), filters);
                own.admit(fetch, quarantine);
            }
            rulebook.users().patches(fetch, group, own).listener(listener).ifPresent(result::add);
            made.add(own.made());
        }
        return new WaypointPlan(group.key(), result, made);
    }

    private static Map<ResourceKey, Made> made(WaypointPlan plan) {
        return plan.made().stream().collect(Collectors.toMap(Made::resource, made -> made));
    }

    private static Map<ResourceKey, Message> listeners(WaypointPlan plan) {
        var result = new LinkedHashMap<ResourceKey, Message>();
        plan.listeners()
                .forEach(listener -> result.put(ResourceKey.listener(plan.group(), listener.getName()), listener));
        return result;
    }

    private List<Ip> workloads(Fetch<ObjectKey> fetch, Group group) {
        return fetch.own(mesh.gateways())
                .flatMap(GatewaySite::address)
                .map(address -> members.behind(fetch, address, group.proxies().network()))
                .orElse(List.of());
    }

    private Map<ResourceKey, Plain> fixed(Fetch<ObjectKey> fetch, Group group) {
        var clusters = new FixedClusters(group.proxySettings());
        var own = switch (group.proxies().role()) {
            case WAYPOINT -> clusters.ofWaypoint();
            case INGRESS -> clusters.ofIngress();
            case EAST_WEST ->
                Stream.concat(
                                clusters.ofEastWest().stream(),
                                eastWest.controlPlane(fetch, group).stream()
                                        .map(way -> FixedClusters.toControlPlane(
                                                ControlPlaneWay.CLUSTER, way.host(), way.port())))
                        .toList();
        };
        return Stream.concat(own.stream(), far.clusters(fetch, group).stream())
                .map(cluster -> new Plain(ResourceKey.cluster(group.key(), cluster.getName()), cluster))
                .collect(Collectors.toMap(Plain::key, plain -> plain));
    }
}
