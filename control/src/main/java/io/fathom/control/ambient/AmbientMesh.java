// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient;

import io.fathom.base.flow.Commit;
import io.fathom.base.flow.Cut;
import io.fathom.base.flow.Failures;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Table;
import io.fathom.control.ambient.input.AmbientConfig;
import io.fathom.control.ambient.input.Inputs;
import io.fathom.control.ambient.input.MeshSettings;
import io.fathom.control.ambient.network.GatewayVerdicts;
import io.fathom.control.ambient.network.NetworkGateway;
import io.fathom.control.ambient.network.PeerGateway;
import io.fathom.control.ambient.peer.PeerSources;
import io.fathom.control.ambient.status.ObjectStatus;
import io.fathom.control.ambient.trust.TrustTables;
import io.fathom.control.ambient.workload.FoldedWorkload;
import io.fathom.control.gateway.ListenerKey;
import io.fathom.control.gateway.ListenerTables;
import io.fathom.control.gateway.ParentVerdict;
import io.fathom.control.gateway.RouteVerdict;
import io.fathom.control.problem.ObjectProblem;
import io.fathom.control.problem.ProblemKey;
import io.fathom.model.mesh.Address;
import io.fathom.model.mesh.Service;
import io.fathom.model.mesh.Workload;
import io.fathom.model.peering.ServiceEndpoints;
import io.fathom.model.peering.ServiceSummary;
import io.fathom.model.policy.Authorization;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.multicluster.ServiceImportManifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// Manifests in, the Workload API out. Each batch is one step: all that follows from it becomes visible at once, and
/// only what it concerns is computed again.
///
/// Batches may come from any thread and take turns; cuts can be read from any thread at any time.
public final class AmbientMesh {
    private final Flow flow;
    private final Inputs inputs;
    private final MeshTables tables;
    private final RemoteClusters remotes;

    public AmbientMesh(AmbientConfig config) {
        this(config, _ -> {});
    }

    /// With tables of others on the same flow, which settle after all of ours.
    ///
    /// @param more makes them
    public AmbientMesh(AmbientConfig config, Consumer<MeshFlow> more) {
        this(config, new Flow(), more);
    }

    /// For tests that should fail when a derivation does.
    AmbientMesh(AmbientConfig config, Failures failures) {
        this(config, new Flow(failures), _ -> {});
    }

    private AmbientMesh(AmbientConfig config, Flow flow, Consumer<MeshFlow> more) {
        this.flow = flow;
        inputs = new Inputs(flow, config);
        var others = Inputs.ofOtherClusters(flow, config, inputs);
        tables = new MeshTables(flow, inputs, others, config);
        remotes = new RemoteClusters(flow, others, tables.networks());
        more.accept(new MeshFlow(flow, inputs, tables, config));
        inputs.start();
    }

    public void apply(List<ManifestChange> batch) {
        inputs.apply(batch);
    }

    /// The way in for other clusters.
    public RemoteClusters remotes() {
        return remotes;
    }

    /// The way in for what other clusters say of themselves.
    public PeerSources peers() {
        return tables.peerSources();
    }

    /// Whose roots vouch for which trust domain.
    public TrustTables trust() {
        return tables.trust();
    }

    /// The Gateways that stand for gateways of other clusters.
    public Table<ObjectKey, PeerGateway> peerGateways() {
        return tables.peerGateways().table();
    }

    /// The Gateways of our cluster that let other networks in.
    public Table<ObjectKey, GatewayManifest> eastWestGateways() {
        return tables.peerGateways().eastWest();
    }

    /// The Gateways that stand for our own cluster.
    public Table<ObjectKey, GatewayManifest> selfDescriptions() {
        return tables.peerGateways().ownDescriptions();
    }

    /// Every way into another network, by the Gateway that names it.
    public Table<ObjectKey, List<NetworkGateway>> networkGateways() {
        return tables.networkGateways().byGateway();
    }

    /// The way in for what is found out about gateways.
    public GatewayVerdicts gatewayVerdicts() {
        return tables.gatewayVerdicts();
    }

    /// What is behind gateways of other networks, by uid.
    public Table<String, FoldedWorkload> foldedWorkloads() {
        return tables.folded();
    }

    /// What we tell other clusters.
    public Table<ObjectKey, ServiceSummary> exported() {
        return tables.exported().table();
    }

    /// The ServiceImports that our cluster should have.
    public Table<ObjectKey, ServiceImportManifest> imports() {
        return tables.imports();
    }

    /// What we tell those on our own network besides.
    public Table<ObjectKey, ServiceEndpoints> exportedEndpoints() {
        return tables.exportedEndpoints();
    }

    /// The network that our cluster is on; empty where it has no name.
    public String network() {
        return tables.networks().home(flow.cut());
    }

    /// Whether settings or Gateways say that there are several networks.
    public boolean hasSeveralNetworks() {
        return tables.multiNetwork().isOn(flow.cut());
    }

    /// Whether the object has been taken in and not removed since.
    public boolean holds(Class<? extends Manifest> kind, ObjectKey key) {
        return inputs.holds(flow.cut(), kind, key);
    }

    /// Workloads and services by resource name.
    public Table<String, Address> addresses() {
        return tables.addresses();
    }

    /// Policies for node proxies by resource name.
    public Table<String, Authorization> authorizations() {
        return tables.authorizations();
    }

    /// All pods, also those that are no workloads.
    public Table<ObjectKey, PodManifest> pods() {
        return inputs.pods();
    }

    /// The ServiceEntries that count.
    public Table<ObjectKey, ServiceEntryManifest> serviceEntries() {
        return inputs.serviceEntries();
    }

    /// The objects of a kind that count.
    public <V extends Manifest> Table<ObjectKey, V> objects(Class<V> kind) {
        return inputs.of(kind);
    }

    /// Every namespace there is, and whether the discovery selectors let its objects in.
    public Table<ObjectKey, Boolean> discoveredNamespaces() {
        return inputs.discovered();
    }

    /// The trust domain that identities are in now, then its aliases.
    public List<String> trustDomains() {
        var settings = flow.cut().of(inputs.mesh()).get(MeshSettings.KEY);
        if (settings == null) {
            throw new IllegalStateException("settings are known from the start");
        }
        var names = new ArrayList<>(List.of(settings.trustDomain()));
        names.addAll(settings.trustDomainAliases());
        return names;
    }

    /// What is to be written back.
    public Table<ManifestId, ObjectStatus> statuses() {
        return tables.statuses();
    }

    /// What became of Gateways of ours and of their listeners.
    public ListenerTables listeners() {
        return tables.listeners();
    }

    /// What became of routes.
    public Table<ManifestId, RouteVerdict> routes() {
        return tables.routes().verdicts();
    }

    /// What became of BackendTLSPolicies at Gateways and waypoints.
    public Table<ManifestId, List<ParentVerdict>> backendTlsPolicies() {
        return tables.backendTls().verdicts();
    }

    /// The same of XBackendTrafficPolicies.
    public Table<ManifestId, List<ParentVerdict>> backendTrafficPolicies() {
        return tables.backendTraffic().verdicts();
    }

    /// How many routes are in effect at a listener; no row for none.
    public Table<ListenerKey, Integer> attachedRoutes() {
        return tables.routes().attached();
    }

    /// What users should know and no status says.
    public Table<ProblemKey, ObjectProblem> problems() {
        return tables.problems();
    }

    /// Calls the subscriber after each batch, on the thread that brought it.
    public AutoCloseable subscribe(Consumer<Commit> subscriber) {
        return flow.subscribe(subscriber);
    }

    /// How many rows of all tables have been computed.
    public long derivations() {
        return flow.derivations();
    }

    /// How often a subscriber has failed to take a batch in.
    public long subscriberFailures() {
        return flow.subscriberFailures();
    }

    public Cut cut() {
        return flow.cut();
    }

    /// Every manifest taken in, by kind and key. For debug pages.
    public Stream<Manifest> manifests() {
        return inputs.manifests(flow.cut());
    }

    /// The services that a Gateway stands in front of, by name. Looks at all services: for debug pages.
    public List<Service> servicesOf(ObjectKey gateway) {
        return new WaypointUsers(flow.cut(), inputs, tables).services(gateway);
    }

    /// The workloads that a Gateway stands in front of, oldest first. Looks at all workloads: for debug pages.
    public List<Workload> workloadsOf(ObjectKey gateway) {
        return new WaypointUsers(flow.cut(), inputs, tables).workloads(gateway);
    }
}
