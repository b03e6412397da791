// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.base.flow.Flow;
import io.fathom.base.flow.LabelIndex;
import io.fathom.base.flow.Labels;
import io.fathom.base.flow.Selector;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.clusterset.ClusterSet;
import io.fathom.control.ambient.clusterset.ExportStatuses;
import io.fathom.control.ambient.clusterset.Exports;
import io.fathom.control.ambient.clusterset.Imports;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Feature;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Interner;
import io.fathom.control.ambient.input.MeshNames;
import io.fathom.control.ambient.network.Entrances;
import io.fathom.control.ambient.network.Entrances.Entrance;
import io.fathom.control.ambient.network.GatewayVerdicts;
import io.fathom.control.ambient.network.MultiNetwork;
import io.fathom.control.ambient.network.NetworkGateways;
import io.fathom.control.ambient.network.Networks;
import io.fathom.control.ambient.network.PeerGateways;
import io.fathom.control.ambient.network.RemoteEndpoints;
import io.fathom.control.ambient.peer.ExportedEndpoints;
import io.fathom.control.ambient.peer.ExportedServices;
import io.fathom.control.ambient.peer.MeshNameEntries;
import io.fathom.control.ambient.peer.MeshWideServices;
import io.fathom.control.ambient.peer.NearPeers;
import io.fathom.control.ambient.peer.NearWorkloads;
import io.fathom.control.ambient.peer.PeerSources;
import io.fathom.control.ambient.peer.PeerWorkloads;
import io.fathom.control.ambient.peer.Peers;
import io.fathom.control.ambient.policy.EntrancePolicies;
import io.fathom.control.ambient.policy.L4Policies;
import io.fathom.control.ambient.policy.PolicyTables;
import io.fathom.control.ambient.policy.PolicyTargets;
import io.fathom.control.ambient.policy.RequiredWaypointPolicies;
import io.fathom.control.ambient.policy.RequiredWaypointProblems;
import io.fathom.control.ambient.policy.WaypointAccess;
import io.fathom.control.ambient.service.EntryMember;
import io.fathom.control.ambient.service.EntryServices;
import io.fathom.control.ambient.service.GatewayServices;
import io.fathom.control.ambient.service.KeptWaypoints;
import io.fathom.control.ambient.service.KubeServices;
import io.fathom.control.ambient.service.MemberAccounts;
import io.fathom.control.ambient.service.ServiceAttachments;
import io.fathom.control.ambient.service.ServiceMember;
import io.fathom.control.ambient.service.SliceTargets;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.control.ambient.trust.TrustTables;
import io.fathom.control.ambient.vip.VipPlanner;
import io.fathom.control.ambient.vip.Vips;
import io.fathom.control.ambient.waypoint.Namespaces;
import io.fathom.control.ambient.waypoint.Waypoints;
import io.fathom.control.ambient.workload.EntryWorkloads;
import io.fathom.control.ambient.workload.FoldedWorkload;
import io.fathom.control.ambient.workload.NetworkGatewayWorkloads;
import io.fathom.control.ambient.workload.PodWorkloads;
import io.fathom.control.ambient.workload.ReachedWorkloads;
import io.fathom.control.ambient.workload.ServiceEntryWorkloads;
import io.fathom.control.ambient.workload.SliceWorkloads;
import io.fathom.control.ambient.workload.SplitHorizon;
import io.fathom.control.gateway.BackendTlsTables;
import io.fathom.control.gateway.BackendTrafficTables;
import io.fathom.control.gateway.ListenerTables;
import io.fathom.control.gateway.PolicyAncestors;
import io.fathom.control.gateway.RouteTables;
import io.fathom.control.gateway.SecretsSource;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Workload;
import io.fathom.model.peering.ServiceEndpoints;
import io.fathom.model.policy.Authorization;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.extension.EnvoyFilterManifest;
import io.fathom.wire.kube.extension.TrafficExtensionManifest;
import io.fathom.wire.kube.extension.WasmPluginManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.multicluster.ServiceExportManifest;
import io.fathom.wire.kube.multicluster.ServiceImportManifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.WorkloadEntryManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import io.fathom.wire.kube.security.PeerAuthenticationManifest;
import io.fathom.wire.kube.security.RequestAuthenticationManifest;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// All derivations, put together in the order in which they settle. Reads from top to bottom like a recipe.
final class MeshTables {
    private final LabelIndex<String, ObjectKey, PodManifest> podLabels;
    private final Flow flow;
    private final TrustTables trust;
    private final Networks networks;
    private final Waypoints waypoints;
    private final NetworkGateways networkGateways;
    private final GatewayVerdicts gatewayVerdicts;
    private final Table<String, Entrance> entrances;
    private final Table<String, FoldedWorkload> folded;
    private final Table<String, List<Port>> globalServices;
    private final Table<String, Workload> farWorkloads;
    private final OtherClusters otherClusters;
    private final MultiNetwork multiNetwork;
    private final PeerGateways peerGateways;
    private final PeerSources peerSources;
    private final Table<ObjectKey, ServiceEntryManifest> meshWide;
    private final Table<ObjectKey, ServiceImportManifest> imports;
    private final ExportedServices exported;
    private final Table<ObjectKey, ServiceEndpoints> exportedEndpoints;
    private final Table<String, Address> addresses;
    private final Table<String, Authorization> authorizations;
    private final Statuses statuses;
    private final Problems problems;
    private final ListenerTables listeners;
    private final RouteParents routeParents;
    private final RouteTables routes;
    private final BackendTlsTables backendTls;
    private final BackendTrafficTables backendTraffic;

    /// @param others the objects of other clusters
    MeshTables(Flow flow, Inputs inputs, Inputs others, AmbientConfig config) {
        this.flow = flow;
        var interner = new Interner();

        // what stands between
        trust = new TrustTables(flow, inputs);
        networks = new Networks(flow, inputs, others, config);
        multiNetwork = new MultiNetwork(flow, inputs, config);
        peerGateways = new PeerGateways(flow, inputs, config);
        peerSources = new PeerSources(flow);
        var gateways = new NetworkGateways(flow, peerGateways, others, peerSources.networks());
        networkGateways = gateways;
        gatewayVerdicts = new GatewayVerdicts(flow);
        var gatewayWorkloads = new NetworkGatewayWorkloads(flow, inputs, gateways);
        waypoints = new Waypoints(flow, inputs, networks, config, Waypoints.Enforced.HERE);
        var instances = flow.index("pods/by-gateway", inputs.pods(), Entrances::gateways);
        entrances = new Entrances(flow, inputs, others, instances, networks).byNetwork();
        var namespaces = new Namespaces(flow, inputs, networks, gateways, entrances, waypoints, config);
        var gatewayServices = new GatewayServices(flow, inputs, waypoints, gateways, config);
        var access = new WaypointAccess(flow, inputs, waypoints, instances, config);

        // who is behind services
        podLabels = flow.labels("pods/labels", inputs.pods(), MeshTables::labels);
        var entryLabels = flow.labels("workload-entries/labels", inputs.workloadEntries(), MeshTables::entryLabels);
        var members = new MemberAccounts(flow, inputs, waypoints, podLabels, entryLabels, config);
        var attachments = new ServiceAttachments(waypoints, members);

        // services, as workloads see them
        var exports = new Exports(flow, inputs, inputs, gatewayServices, config).table();
        var exportsElsewhere = new Exports(flow, others, inputs, gatewayServices, config).table();
        var services = new KubeServices(
                flow, inputs, networks, namespaces, attachments, gatewayServices, exports, config, interner);
        var clusterSet = new ClusterSet(flow, inputs, exports, exportsElsewhere, peerSources, config);
        var meshNames = new MeshWideServices(flow, inputs, others, peerSources, gatewayServices, config).names();
        meshWide = new MeshNameEntries(flow, List.of(meshNames, clusterSet.names()), config).table();
        var manifests = flow.join("service-entries/all", List.of(inputs.serviceEntries(), meshWide));
        var vips = vips(manifests, config);
        imports = new Imports(flow, clusterSet, vips).table();
        var entries = new EntryServices(
                flow,
                manifests,
                networks,
                namespaces,
                attachments,
                gatewayServices,
                services,
                served(vips, inputs, config),
                config,
                interner);
        var kept = new KeptWaypoints(flow, inputs, services, entries, gatewayServices);
        var slices = new SliceTargets(flow, inputs, services);

        // policies
        var policies = new PolicyTables(
                flow,
                inputs.authorizationPolicies(),
                inputs.peerAuthentications(),
                fetch -> inputs.mesh(fetch).rootNamespace(),
                L4Policies.Options.of(config));

        // workloads
        var pods = new PodWorkloads(
                flow,
                inputs,
                namespaces,
                waypoints,
                access,
                new PodWorkloads.Joins(
                        selectedBy("pods/services", podLabels, services),
                        config.has(Feature.ENTRIES_SELECT_PODS)
                                ? selectedBy("pods/service-entries", podLabels, entries)
                                : flow.source("pods/service-entries"),
                        slices.byPod(),
                        policies.keys("pods/policies", inputs.pods(), MeshTables::labels, podLabels)),
                interner);
        var workloadEntries = new EntryWorkloads(
                flow,
                inputs,
                namespaces,
                gateways,
                waypoints,
                access,
                new EntryWorkloads.Joins(
                        config.has(Feature.SERVICES_SELECT_ENTRIES)
                                ? selectedBy("workload-entries/services", entryLabels, services)
                                : flow.source("workload-entries/services"),
                        selectedBy("workload-entries/service-entries", entryLabels, entries),
                        policies.keys(
                                "workload-entries/policies",
                                inputs.workloadEntries(),
                                MeshTables::entryLabels,
                                entryLabels)),
                interner);
        var endpoints = new ServiceEntryWorkloads(
                flow,
                namespaces,
                gateways,
                waypoints,
                access,
                entries,
                policies.keys("service-entries/policies", inputs.serviceEntries(), MeshTables::labels),
                interner);
        var sliceWorkloads = new SliceWorkloads(flow, inputs, namespaces, services, interner);

        // what is enforced
        var required = new RequiredWaypointPolicies(flow, inputs, pods.workloads(), instances);
        var scopes = new EntrancePolicies(flow, pods.workloads(), entrances);
        var enforced =
                new ArrayList<>(List.of(policies.authorizations(), required.authorizations(), scopes.authorizations()));
        access.authorizations().ifPresent(enforced::add);
        authorizations = flow.join("authorizations", enforced);

        // other clusters and networks
        otherClusters = new OtherClusters(flow, others, networks, gateways, exportsElsewhere, config, interner);
        var placed = flow.join("placed-workloads", List.of(workloadEntries.workloads(), endpoints.workloads()));
        var near = new NearPeers(flow, peerGateways, gateways, networks, config);
        var peers = new Peers(flow, inputs, peerSources, networks, gateways, peerGateways, near, kept, config);
        var peerWorkloads = new PeerWorkloads(flow, peers);
        var nearWorkloads = new NearWorkloads(flow, inputs, peerSources, peers, near, networks, config).workloads();
        var remote = new RemoteEndpoints(
                flow,
                inputs,
                networks,
                placed,
                otherClusters.workloads(),
                otherClusters.services(),
                peers::identities,
                config);

        // what is served
        var kubeServices = services.served(flow, inputs, remote);
        var entryServices = entries.served(flow, remote);
        globalServices = global(services, entries, inputs);
        farWorkloads = flow.join("far-workloads", List.of(remote.table(), peerWorkloads.workloads()));
        var ownWorkloads = remote.servedOf(flow, placed);
        var ownEndpoints =
                flow.join("own-workloads", List.of(pods.workloads(), ownWorkloads, sliceWorkloads.workloads()));
        exported = new ExportedServices(flow, inputs, exports, services, globalServices, ownEndpoints, multiNetwork);
        exportedEndpoints = new ExportedEndpoints(flow, ownEndpoints, exported.table(), near, networks, config).table();
        folded = flow.join(
                "folded-workloads",
                List.of(
                        peerWorkloads.folded(),
                        new SplitHorizon(flow, remote.table(), globalServices, gateways, kept, config).workloads()));
        var besides = flow.index("reached/near", nearWorkloads, ReachedWorkloads::readyFor);
        var reached = new ReachedWorkloads(
                flow,
                folded,
                gatewayVerdicts,
                (fetch, service) -> exported.isReady(fetch, service)
                        || !fetch.all(besides, service).isEmpty());
        addresses = flow.join(
                "addresses",
                List.<Table<String, ? extends Address>>of(
                        pods.workloads(),
                        ownWorkloads,
                        remote.nearOf(flow, otherClusters.workloads(), kept::forbids),
                        sliceWorkloads.workloads(),
                        gatewayWorkloads.workloads(),
                        kubeServices,
                        entryServices,
                        otherClusters.served(flow, remote, List.of(kubeServices, entryServices)),
                        nearWorkloads,
                        reached.table()));

        // what is said about it
        var targets = new PolicyTargets(inputs, waypoints, services, entries);
        statuses = new Statuses(
                flow,
                services,
                entries,
                workloadEntries,
                namespaces,
                vips,
                policies.statuses(targets),
                List.of(
                        Statuses.named(
                                flow,
                                ServiceExportManifest.class,
                                new ExportStatuses(flow, inputs, exports, clusterSet).table()),
                        Statuses.named(
                                flow,
                                PeerAuthenticationManifest.class,
                                policies.peerStatuses(inputs.peerAuthentications())),
                        targeting(
                                inputs.requestAuthentications(),
                                RequestAuthenticationManifest::targets,
                                RequestAuthenticationManifest.class,
                                policies,
                                targets),
                        targeting(
                                inputs.telemetries(),
                                TelemetryManifest::targets,
                                TelemetryManifest.class,
                                policies,
                                targets),
                        targeting(
                                inputs.wasmPlugins(),
                                own -> own.extension().targets(),
                                WasmPluginManifest.class,
                                policies,
                                targets),
                        targeting(
                                inputs.trafficExtensions(),
                                own -> own.extension().targets(),
                                TrafficExtensionManifest.class,
                                policies,
                                targets),
                        targeting(
                                inputs.envoyFilters(),
                                EnvoyFilterManifest::targets,
                                EnvoyFilterManifest.class,
                                policies,
                                targets)));
        problems = new Problems(
                flow,
                inputs,
                pods,
                vips,
                more(
                        new RequiredWaypointProblems(flow, inputs, waypoints, pods.workloads(), addresses).tables(),
                        List.of(peerGateways.problems(), trust.problems())));
        listeners = new ListenerTables(
                flow,
                new ListenerTables.Inputs(
                        inputs.gateways(),
                        inputs.listenerSets(),
                        inputs.gatewayClasses(),
                        inputs.namespaces(),
                        inputs.referenceGrants(),
                        inputs.credentials(),
                        inputs.caBundles(),
                        inputs.absent(),
                        config.has(Feature.SECRETS_BY_NAME) ? SecretsSource.BY_NAME : SecretsSource.COMPLETE));
        routeParents = new RouteParents(flow, inputs, waypoints, addresses, exports, config.domain());
        routes = new RouteTables(
                flow,
                inputs.routes(),
                new RouteTables.Inputs(
                        listeners.gateways(),
                        inputs.gateways(),
                        inputs.listenerSets(),
                        inputs.services(),
                        inputs.serviceEntries(),
                        imports,
                        inputs.namespaces(),
                        inputs.referenceGrants(),
                        routeParents));
        var ancestors = new PolicyAncestors(flow, routes.verdicts(), targets::waypoint);
        backendTls = new BackendTlsTables(flow, inputs.backendTlsPolicies(), inputs.caBundles(), ancestors);
        backendTraffic = new BackendTrafficTables(flow, inputs.backendTrafficPolicies(), ancestors);
    }

    private static List<Table<ProblemKey, ObjectProblem>> more(
            List<Table<ProblemKey, ObjectProblem>> some, List<Table<ProblemKey, ObjectProblem>> others) {
        var all = new ArrayList<>(some);
        all.addAll(others);
        return all;
    }

    private <M extends Manifest> Table<ManifestId, ObjectStatus> targeting(
            Table<ObjectKey, M> objects,
            Function<M, List<PolicyTarget>> attached,
            Class<M> kind,
            PolicyTables policies,
            PolicyTargets targets) {
        return Statuses.named(
                flow, kind, policies.statuses(kind.getSimpleName() + "/statuses", objects, attached, targets));
    }

    private Table<String, List<Port>> global(KubeServices services, EntryServices entries, Inputs inputs) {
        return flow.join(
                "global-services",
                List.of(services.global(flow, inputs), entries.global(flow), otherClusters.global(flow)));
    }

    OtherClusters otherClusters() {
        return otherClusters;
    }

    MultiNetwork multiNetwork() {
        return multiNetwork;
    }

    PeerSources peerSources() {
        return peerSources;
    }

    Table<ObjectKey, ServiceEntryManifest> meshWideServices() {
        return meshWide;
    }

    Table<ObjectKey, ServiceImportManifest> imports() {
        return imports;
    }

    ExportedServices exported() {
        return exported;
    }

    Table<ObjectKey, ServiceEndpoints> exportedEndpoints() {
        return exportedEndpoints;
    }

    PeerGateways peerGateways() {
        return peerGateways;
    }

    TrustTables trust() {
        return trust;
    }

    Networks networks() {
        return networks;
    }

    Waypoints waypoints() {
        return waypoints;
    }

    GatewayVerdicts gatewayVerdicts() {
        return gatewayVerdicts;
    }

    Table<String, Entrance> entrances() {
        return entrances;
    }

    Table<String, FoldedWorkload> folded() {
        return folded;
    }

    NetworkGateways networkGateways() {
        return networkGateways;
    }

    Table<String, List<Port>> globalServices() {
        return globalServices;
    }

    Table<String, Workload> farWorkloads() {
        return farWorkloads;
    }

    Table<String, Address> addresses() {
        return addresses;
    }

    Table<String, Authorization> authorizations() {
        return authorizations;
    }

    Table<ManifestId, ObjectStatus> statuses() {
        return statuses.table();
    }

    ListenerTables listeners() {
        return listeners;
    }

    RouteParents routeParents() {
        return routeParents;
    }

    RouteTables routes() {
        return routes;
    }

    BackendTlsTables backendTls() {
        return backendTls;
    }

    BackendTrafficTables backendTraffic() {
        return backendTraffic;
    }

    Table<ProblemKey, ObjectProblem> problems() {
        return problems.table();
    }

    private Table<ObjectKey, Vips> vips(Table<ObjectKey, ServiceEntryManifest> entries, AmbientConfig config) {
        if (!config.has(Feature.ADDRESS_ALLOCATION)) {
            return flow.source("service-entries/vips");
        }
        var planner =
                new VipPlanner(config.ipv4Range().toString(), config.ipv6Range().toString());
        return planner.table(flow, entries);
    }

    LabelIndex<String, ObjectKey, PodManifest> podLabels() {
        return podLabels;
    }

    /// What node proxies may hear of.
    private Table<ObjectKey, Vips> served(Table<ObjectKey, Vips> planned, Inputs inputs, AmbientConfig config) {
        return config.has(Feature.SERVE_PLANNED_ADDRESSES)
                ? planned
                : flow.derive(
                        "service-entries/written-vips",
                        planned,
                        (fetch, vips) -> MeshNames.isOne(fetch.key())
                                ? Optional.of(vips) // each control plane plans the same
                                : fetch.own(inputs.serviceEntries()).map(vips::writtenIn));
    }

    private <V> Table<ObjectKey, List<ServiceMember>> selectedBy(
            String name, LabelIndex<String, ObjectKey, V> objects, KubeServices services) {
        return flow.select(
                name,
                objects,
                services.members(),
                service -> Optional.of(new Selector<>(Optional.of(service.namespace()), service.selector())));
    }

    private <V> Table<ObjectKey, List<EntryMember>> selectedBy(
            String name, LabelIndex<String, ObjectKey, V> objects, EntryServices entries) {
        return flow.select(
                name,
                objects,
                entries.members(),
                entry -> Optional.of(new Selector<>(Optional.of(entry.namespace()), entry.selector())));
    }

    private static Labels<String> labels(Manifest manifest) {
        return new Labels<>(manifest.namespace(), manifest.labels());
    }

    private static Labels<String> entryLabels(WorkloadEntryManifest entry) {
        return new Labels<>(entry.namespace(), EntryWorkloads.labels(entry));
    }
}
