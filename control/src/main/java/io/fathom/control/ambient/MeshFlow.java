// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Selector;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Hosts;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.Keys;
import io.fathom.control.ambient.input.MeshSettings;
import io.fathom.control.ambient.input.WorkloadSources;
import io.fathom.control.ambient.network.Entrances.Entrance;
import io.fathom.control.ambient.network.GatewayKind;
import io.fathom.control.ambient.network.GatewaySite;
import io.fathom.control.ambient.network.NetworkGateway;
import io.fathom.control.ambient.network.PeerGateway;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.control.ambient.trust.TrustTables;
import io.fathom.control.ambient.waypoint.Waypoint;
import io.fathom.control.ambient.workload.EntryWorkloads;
import io.fathom.control.gateway.ListenerTables;
import io.fathom.control.gateway.ParentVerdict;
import io.fathom.control.gateway.RouteTables;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.mesh.Port;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.peering.Reachability;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// What others make tables of: the flow, and the tables of the mesh that they may read. To be used while the mesh is
/// put together, before any manifest is there.
public final class MeshFlow {
    private final Flow flow;
    private final Inputs inputs;
    private final MeshTables tables;
    private final AmbientConfig config;
    private final Table<ObjectKey, GatewaySite> gateways;
    private final Table<String, Map<String, String>> labels;

    MeshFlow(Flow flow, Inputs inputs, MeshTables tables, AmbientConfig config) {
        this.flow = flow;
        this.inputs = inputs;
        this.tables = tables;
        this.config = config;
        gateways = flow.derive("gateways/sites", inputs.gateways(), (fetch, gateway) -> {
            var gatewayClass = fetch.one(inputs.gatewayClasses(), Keys.clusterWide(gateway.key(), gateway.className()));
            var waypoint = fetch.own(tables.waypoints().table());
            return Optional.of(new GatewaySite(
                    gateway,
                    GatewayKind.of(gateway.className(), gatewayClass),
                    waypoint.flatMap(Waypoint::address),
                    tables.networks().of(fetch, gateway.key()),
                    waypoint.filter(own -> own.serves(Waypoint.Traffic.WORKLOAD))
                            .isPresent()));
        });
        labels = labels(flow, inputs, tables);
    }

    private static Table<String, Map<String, String>> labels(Flow flow, Inputs inputs, MeshTables tables) {
        var pods = flow.derive("pods/labels-alone", inputs.pods(), (fetch, pod) -> Optional.of(pod.labels()));
        var entries = flow.derive(
                "workload-entries/labels-alone",
                inputs.workloadEntries(),
                (fetch, entry) -> Optional.of(EntryWorkloads.labels(entry)));
        var all = new ArrayList<>(List.of(
                flow.rekey("pods/labels-by-uid", pods, (key, _) -> WorkloadSources.podUid(key)),
                flow.rekey("workload-entries/labels-by-uid", entries, (key, _) -> WorkloadSources.entryUid(key)),
                flow.deriveMany(
                        "service-entries/labels-by-uid",
                        inputs.serviceEntries(),
                        (fetch, entry) -> endpointLabels(entry))));
        all.add(tables.otherClusters().labels());
        return flow.join("workload-labels", all);
    }

    private static Map<String, Map<String, String>> endpointLabels(ServiceEntryManifest entry) {
        var result = new LinkedHashMap<String, Map<String, String>>();
        entry.endpoints()
                .forEach(endpoint ->
                        result.put(WorkloadSources.endpointUid(entry.key(), endpoint.address()), endpoint.labels()));
        return result;
    }

    public Flow flow() {
        return flow;
    }

    public AmbientConfig config() {
        return config;
    }

    /// Whose roots vouch for which trust domain.
    public TrustTables trust() {
        return tables.trust();
    }

    /// What holds for the whole mesh.
    public MeshSettings settings(Fetch<?> fetch) {
        return inputs.mesh(fetch);
    }

    /// The objects of a kind that count.
    public <V extends Manifest> Table<ObjectKey, V> manifests(Class<V> kind) {
        return inputs.of(kind);
    }

    /// The ServiceEntries that stand for mesh-wide names.
    public Table<ObjectKey, ServiceEntryManifest> meshWideServices() {
        return tables.meshWideServices();
    }

    /// The Services of other clusters that count here, by their names in Kubernetes; of several clusters the first.
    public Table<String, ServiceManifest> servicesElsewhere() {
        return tables.otherClusters().manifests();
    }

    /// Of all kinds.
    public Table<ManifestId, RouteManifest> routes() {
        return inputs.routes();
    }

    /// What became of Gateways and their listeners.
    public ListenerTables listeners() {
        return tables.listeners();
    }

    /// The waypoints in front of a service: its own, and those that share its traffic.
    public Set<ObjectKey> waypoints(Fetch<?> fetch, Service service) {
        return tables.routeParents().waypoints(fetch, service);
    }

    /// What is to be written back.
    public Table<ManifestId, ObjectStatus> statuses() {
        return tables.statuses();
    }

    /// What users should know and no status says.
    public Table<ProblemKey, ObjectProblem> problems() {
        return tables.problems();
    }

    /// What became of BackendTLSPolicies.
    public Table<ManifestId, List<ParentVerdict>> backendTlsVerdicts() {
        return tables.backendTls().verdicts();
    }

    /// What became of XBackendTrafficPolicies.
    public Table<ManifestId, List<ParentVerdict>> backendTrafficVerdicts() {
        return tables.backendTraffic().verdicts();
    }

    /// What became of routes.
    public RouteTables verdicts() {
        return tables.routes();
    }

    /// Workloads and services by resource name.
    public Table<String, Address> addresses() {
        return tables.addresses();
    }

    /// The Gateways that stand for gateways of other clusters.
    public Table<ObjectKey, PeerGateway> peerGateways() {
        return tables.peerGateways().table();
    }

    /// The services that belong to all clusters, by resource name, with their ports.
    public Table<String, List<Port>> globalServices() {
        return tables.globalServices();
    }

    /// Workloads on other networks, by uid, each as it is there.
    public Table<String, Workload> farWorkloads() {
        return tables.farWorkloads();
    }

    /// Whether settings or Gateways say that there are several networks.
    public boolean hasSeveralNetworks(Fetch<?> fetch) {
        return tables.multiNetwork().isOn(fetch);
    }

    /// By network, the gateways behind which it can be reached.
    public Table<String, List<NetworkGateway>> networkGateways() {
        return tables.networkGateways().byNetwork();
    }

    /// By network, where calls of other networks come in.
    public Table<String, Entrance> entrances() {
        return tables.entrances();
    }

    /// What is known of the addresses of a gateway.
    public Map<IpPort, Reachability> ways(Fetch<?> fetch, NetworkGateway gateway) {
        return tables.gatewayVerdicts().ways(fetch, gateway);
    }

    /// Every Gateway.
    public Table<ObjectKey, GatewaySite> gateways() {
        return gateways;
    }

    /// The labels of workloads by uid; no row for a workload that cannot have any.
    public Table<String, Map<String, String>> workloadLabels() {
        return labels;
    }

    /// For each pod the selectors that select it, sorted by their key; no row when there are none.
    public <K extends Comparable<? super K>, V> Table<ObjectKey, List<V>> selectPods(
            String name, Table<K, V> selectors, Function<V, Selector<String>> selector) {
        return flow.select(name, tables.podLabels(), selectors, row -> Optional.of(selector.apply(row)));
    }

    /// The network of the cluster that an object belongs to.
    public String network(Fetch<?> fetch, ObjectKey object) {
        return tables.networks().of(fetch, object);
    }

    /// The resource name of a Kubernetes Service: `namespace/hostname`.
    public String serviceKey(ObjectKey service) {
        return Hosts.keyOf(service, config.domain());
    }
}
