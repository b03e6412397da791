// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ambient.input;

import static java.util.Objects.requireNonNull;

import io.fathom.base.flow.Cut;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.base.flow.Update;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.ManifestId;
import io.fathom.wire.kube.ManifestKind;
import io.fathom.wire.kube.ManifestKinds;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.core.EndpointSliceManifest;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.NodeManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.extension.EnvoyFilterManifest;
import io.fathom.wire.kube.extension.TrafficExtensionManifest;
import io.fathom.wire.kube.extension.WasmPluginManifest;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.gateway.BackendTrafficPolicyManifest;
import io.fathom.wire.kube.gateway.GatewayClassManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GrpcRouteManifest;
import io.fathom.wire.kube.gateway.HttpRouteManifest;
import io.fathom.wire.kube.gateway.ListenerSetManifest;
import io.fathom.wire.kube.gateway.ReferenceGrantManifest;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.TcpRouteManifest;
import io.fathom.wire.kube.gateway.TlsRouteManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest;
import io.fathom.wire.kube.multicluster.ServiceExportManifest;
import io.fathom.wire.kube.multicluster.ServiceImportManifest;
import io.fathom.wire.kube.networking.DestinationRuleManifest;
import io.fathom.wire.kube.networking.IstioGatewayManifest;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import io.fathom.wire.kube.networking.WorkloadEntryManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.PeerAuthenticationManifest;
import io.fathom.wire.kube.security.RequestAuthenticationManifest;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import io.fathom.wire.kube.trust.TrustBundleManifest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Where manifests enter the flow: one source per kind, and behind it only those objects that MeshConfig's
/// discovery selectors and our revision let in. No namespace is exempt.
///
/// Pods are not filtered here but where they become workloads: that row looks at its namespace anyway.
///
/// Objects of other clusters have sources of their own, [#ofOtherClusters]: derivations of our own cluster never see
/// them, and so never write to them, deploy for them or let them configure a proxy.
public final class Inputs {
    private static final Set<Class<? extends Manifest>> FILTERED_LATER =
            Set.of(PodManifest.class, MeshConfigManifest.class, TrustBundleManifest.class);

    /// What counts of other clusters, in the order in which objects build on each other.
    public static final List<Class<? extends Manifest>> OF_OTHER_CLUSTERS = List.of(
            NamespaceManifest.class,
            NodeManifest.class,
            GatewayManifest.class,
            ServiceExportManifest.class,
            ServiceManifest.class,
            EndpointSliceManifest.class,
            PodManifest.class);
    /// Services of Kubernetes itself, which nobody means when all are exported.
    private static final String SYSTEM = "kube-system";

    private final Flow flow;
    private final AmbientConfig config;
    private final String prefix;
    private final Map<Class<? extends Manifest>, Source<ObjectKey, ? extends Manifest>> sources = new HashMap<>();
    private final Map<Class<? extends Manifest>, Table<ObjectKey, ? extends Manifest>> counting = new HashMap<>();
    private final Source<String, AmbientConfig> settings;
    private final Source<ManifestId, ManifestId> absent;
    private final Table<String, MeshSettings> mesh;
    private final Table<ObjectKey, Boolean> discovered;
    private final Table<ManifestId, RouteManifest> routes;
    private Table<ObjectKey, ServiceSharing> sharing;

    public Inputs(Flow flow, AmbientConfig config) {
        this(flow, config, "", Optional.empty());
    }

    /// The objects of all other clusters, by the rules of ours: its MeshConfig says which namespaces and services
    /// count. Of services only those that belong to all clusters, there and here.
    ///
    /// @param home the objects of our own cluster
    public static Inputs ofOtherClusters(Flow flow, AmbientConfig config, Inputs home) {
        var others = new Inputs(flow, config, "remote/", Optional.of(home));
        others.counting.put(ServiceManifest.class, others.shared(home));
        others.sharing = others.sharing(Optional.of(home));
        return others;
    }

    private Inputs(Flow flow, AmbientConfig config, String prefix, Optional<Inputs> home) {
        this.flow = flow;
        this.config = config;
        this.prefix = prefix;
        settings = home.map(own -> own.settings).orElseGet(() -> flow.source("settings"));
        absent = flow.source(prefix + "absent-objects");

        ManifestKinds.all().forEach(kind -> sources.put(kind.type(), flow.source(prefix + kind)));
        var meshConfigs = source(MeshConfigManifest.class);
        var meshConfig = new ObjectKey(config.clusterId(), config.systemNamespace(), meshConfigName(config));
        mesh = home.map(Inputs::mesh)
                .orElseGet(() -> flow.derive(
                        "mesh",
                        settings,
                        (fetch, own) -> Optional.of(MeshSettings.of(own, fetch.one(meshConfigs, meshConfig)))));
        discovered = flow.derive(
                prefix + "namespaces/discovered",
                source(NamespaceManifest.class),
                (fetch, namespace) -> Optional.of(mesh(fetch).discovers(namespace.labels())));
        ManifestKinds.all().forEach(kind -> counting.put(kind.type(), counting(kind, source(kind.type()))));
        routes = flow.join(
                prefix + "routes",
                List.of(
                        routes(HttpRouteManifest.class),
                        routes(GrpcRouteManifest.class),
                        routes(TcpRouteManifest.class),
                        routes(TlsRouteManifest.class)));
        sharing = sharing(Optional.empty());
    }

    /// Whether these are the objects of our own cluster.
    public boolean areOurs() {
        return prefix.isEmpty();
    }

    /// Makes the settings known. To be called once, when all tables are there and before any manifest.
    public void start() {
        flow.update(update -> update.put(settings, MeshSettings.KEY, config));
    }

    /// Takes in a batch as one step: every table settles once, and no subscriber sees a part of it.
    public void apply(List<ManifestChange> batch) {
        flow.update(update -> batch.forEach(change -> apply(update, change)));
    }

    public boolean holds(Cut cut, Class<? extends Manifest> kind, ObjectKey key) {
        return cut.of(source(kind)).get(key) != null;
    }

    /// Everything taken in, discovered or not, by kind and key.
    public Stream<Manifest> manifests(Cut cut) {
        return sources.entrySet().stream()
                .sorted(Comparator.comparing(entry -> entry.getKey().getSimpleName()))
                .flatMap(entry -> rows(cut, entry.getValue()));
    }

    /// The keys of all objects of a kind that were taken in from a cluster.
    public List<ObjectKey> keys(Cut cut, Class<? extends Manifest> kind, String cluster) {
        var keys = new ArrayList<ObjectKey>();
        cut.of(source(kind)).forEach((key, _) -> {
            if (key.cluster().equals(cluster)) {
                keys.add(key);
            }
        });
        return keys;
    }

    private static <V extends Manifest> Stream<Manifest> rows(Cut cut, Source<ObjectKey, V> source) {
        var rows = new TreeMap<ObjectKey, Manifest>();
        cut.of(source).forEach(rows::put);
        return rows.values().stream();
    }

    /// What MeshConfig and settings say; the only row has the key [MeshSettings#KEY].
    public Table<String, MeshSettings> mesh() {
        return mesh;
    }

    public MeshSettings mesh(Fetch<?> fetch) {
        return fetch.one(mesh, MeshSettings.KEY).orElseThrow();
    }

    /// Whether objects of the namespace count. Costs up to two tracked fetches.
    boolean discovers(Fetch<?> fetch, ObjectKey namespace) {
        return fetch.one(discovered, namespace).orElseGet(() -> mesh(fetch).discoversEverything());
    }

    /// What somebody asked for by name and is not there, each under its own key.
    public Table<ManifestId, ManifestId> absent() {
        return absent;
    }

    /// All of them, discovered or not, by a key without namespace.
    public Table<ObjectKey, NamespaceManifest> namespaces() {
        return of(NamespaceManifest.class);
    }

    /// Each of them, and whether its objects count.
    public Table<ObjectKey, Boolean> discovered() {
        return discovered;
    }

    public Table<ObjectKey, NodeManifest> nodes() {
        return of(NodeManifest.class);
    }

    /// All of them, also of namespaces that are not discovered.
    public Table<ObjectKey, PodManifest> pods() {
        return of(PodManifest.class);
    }

    public Table<ObjectKey, GatewayClassManifest> gatewayClasses() {
        return of(GatewayClassManifest.class);
    }

    public Table<ObjectKey, ServiceManifest> services() {
        return of(ServiceManifest.class);
    }

    public Table<ObjectKey, EndpointSliceManifest> slices() {
        return of(EndpointSliceManifest.class);
    }

    public Table<ObjectKey, GatewayManifest> gateways() {
        return of(GatewayManifest.class);
    }

    public Table<ObjectKey, ListenerSetManifest> listenerSets() {
        return of(ListenerSetManifest.class);
    }

    Table<ObjectKey, IstioGatewayManifest> istioGateways() {
        return of(IstioGatewayManifest.class);
    }

    /// Secrets with certificates.
    public Table<ObjectKey, CredentialManifest> credentials() {
        return of(CredentialManifest.class);
    }

    public Table<ObjectKey, ServiceEntryManifest> serviceEntries() {
        return of(ServiceEntryManifest.class);
    }

    Table<ObjectKey, VirtualServiceManifest> virtualServices() {
        return of(VirtualServiceManifest.class);
    }

    public Table<ObjectKey, WorkloadEntryManifest> workloadEntries() {
        return of(WorkloadEntryManifest.class);
    }

    public Table<ObjectKey, AuthorizationPolicyManifest> authorizationPolicies() {
        return of(AuthorizationPolicyManifest.class);
    }

    public Table<ObjectKey, PeerAuthenticationManifest> peerAuthentications() {
        return of(PeerAuthenticationManifest.class);
    }

    public Table<ObjectKey, RequestAuthenticationManifest> requestAuthentications() {
        return of(RequestAuthenticationManifest.class);
    }

    public Table<ObjectKey, ReferenceGrantManifest> referenceGrants() {
        return of(ReferenceGrantManifest.class);
    }

    Table<ObjectKey, DestinationRuleManifest> destinationRules() {
        return of(DestinationRuleManifest.class);
    }

    public Table<ObjectKey, BackendTlsPolicyManifest> backendTlsPolicies() {
        return of(BackendTlsPolicyManifest.class);
    }

    public Table<ObjectKey, BackendTrafficPolicyManifest> backendTrafficPolicies() {
        return of(BackendTrafficPolicyManifest.class);
    }

    /// ConfigMaps with CA certificates.
    public Table<ObjectKey, CaBundleManifest> caBundles() {
        return of(CaBundleManifest.class);
    }

    public Table<ObjectKey, TelemetryManifest> telemetries() {
        return of(TelemetryManifest.class);
    }

    public Table<ObjectKey, WasmPluginManifest> wasmPlugins() {
        return of(WasmPluginManifest.class);
    }

    public Table<ObjectKey, TrafficExtensionManifest> trafficExtensions() {
        return of(TrafficExtensionManifest.class);
    }

    public Table<ObjectKey, EnvoyFilterManifest> envoyFilters() {
        return of(EnvoyFilterManifest.class);
    }

    public Table<ObjectKey, ServiceExportManifest> serviceExports() {
        return of(ServiceExportManifest.class);
    }

    public Table<ObjectKey, ServiceImportManifest> serviceImports() {
        return of(ServiceImportManifest.class);
    }

    /// Of all kinds.
    public Table<ManifestId, RouteManifest> routes() {
        return routes;
    }

    private <V extends RouteManifest> Table<ManifestId, V> routes(Class<V> kind) {
        return flow.rekey(prefix + kind.getSimpleName() + "/named", of(kind), (key, _) -> new ManifestId(kind, key));
    }

    private static String meshConfigName(AmbientConfig config) {
        return config.revision().isEmpty() || config.revision().equals("default")
                ? "istio"
                : "istio-" + config.revision();
    }

    @SuppressWarnings("unchecked") // every source was stored under the class of its values
    private <V extends Manifest> Source<ObjectKey, V> source(Class<V> kind) {
        return (Source<ObjectKey, V>) requireNonNull(sources.get(kind));
    }

    /// The objects of a kind that count.
    @SuppressWarnings("unchecked") // every table was stored under the class of its values
    public <V extends Manifest> Table<ObjectKey, V> of(Class<V> kind) {
        var table = counting.get(kind);
        if (table == null) {
            throw new IllegalArgumentException("no table of " + kind.getSimpleName());
        }
        return (Table<ObjectKey, V>) table;
    }

    private <V extends Manifest> Table<ObjectKey, V> counting(ManifestKind kind, Source<ObjectKey, V> source) {
        if (kind.scope() == ManifestKind.Scope.CLUSTER || FILTERED_LATER.contains(kind.type())) {
            return source;
        }
        return flow.derive(
                prefix + kind + "/discovered",
                source,
                (fetch, manifest) -> Optional.of(manifest)
                        .filter(own -> kind.scope() != ManifestKind.Scope.REVISION || isOurRevision(own))
                        .filter(own -> discovers(fetch, Keys.namespaceOf(own.key()))));
    }

    /// The Services that belong to all clusters; no row for others.
    public Table<ObjectKey, ServiceSharing> sharing() {
        return sharing;
    }

    /// Of Services that count from other clusters all are shared. Where our own cluster has such a Service, too, that
    /// one says by which names.
    private Table<ObjectKey, ServiceSharing> sharing(Optional<Inputs> home) {
        return flow.derive(
                prefix + "Service/sharing",
                services(),
                (fetch, service) -> sharing(fetch, service)
                        .filter(_ -> home.isEmpty() || home.get().permits(fetch, home(service.key())))
                        .map(own -> home.flatMap(inputs -> fetch.one(inputs.sharing(), home(service.key())))
                                .orElse(own)));
    }

    /// Of services that our own cluster keeps to itself those that are exported all the same: by the name of the
    /// Multi-Cluster Services API, which means the clusters that export it and no others.
    private Table<ObjectKey, ServiceManifest> shared(Inputs home) {
        return flow.derive(
                prefix + "Service/global",
                services(),
                (fetch, service) -> Optional.of(service)
                        .filter(own -> sharing(fetch, own).isPresent())
                        .filter(own -> home.permits(fetch, home(own.key())) || isExported(fetch, own)));
    }

    /// Whether a ServiceExport exports it, or a setting says that all are.
    public boolean isExported(Fetch<?> fetch, ServiceManifest service) {
        return service.type() != ServiceManifest.Type.EXTERNAL_NAME
                && (fetch.one(serviceExports(), service.key()).isPresent()
                        || (config.has(Feature.MCS_AUTO_EXPORT)
                                && !service.namespace().equals(SYSTEM)));
    }

    /// Whether other clusters may have part in what has that name: nobody here keeps it to our own cluster.
    public boolean permits(Fetch<?> fetch, ObjectKey service) {
        return fetch.one(sharing, service).isPresent()
                || fetch.one(services(), service).isEmpty();
    }

    /// One in a namespace that nobody knows stays in its cluster.
    private Optional<ServiceSharing> sharing(Fetch<?> fetch, ServiceManifest service) {
        return fetch.one(namespaces(), Keys.namespaceOf(service.key()))
                .flatMap(namespace -> mesh(fetch)
                        .sharing(namespace.labels(), service.labels())
                        .or(() -> isExported(fetch, service) ? Optional.of(exported()) : Optional.empty()));
    }

    /// What a ServiceExport alone makes of a service.
    private ServiceSharing exported() {
        return config.has(Feature.MCS_DISCOVERY) && !config.has(Feature.MCS_CLUSTER_LOCAL)
                ? ServiceSharing.EVERY_NAME
                : ServiceSharing.MESH_NAME;
    }

    /// The object of that name in our own cluster.
    private ObjectKey home(ObjectKey key) {
        return new ObjectKey(config.clusterId(), key.namespace(), key.name());
    }

    private boolean isOurRevision(Manifest manifest) {
        var revision = manifest.labels().get(Markers.REVISION);
        return revision == null || config.revision().isEmpty() || revision.equals(config.revision());
    }

    public void apply(Update update, ManifestChange change) {
        switch (change) {
            case ManifestChange.Put(Manifest manifest) -> put(update, manifest);
            case ManifestChange.Remove(Class<? extends Manifest> kind, ObjectKey key) -> {
                update.remove(source(kind), key);
                update.remove(absent, new ManifestId(kind, key));
            }
            case ManifestChange.Absent(Class<? extends Manifest> kind, ObjectKey key) -> {
                update.remove(source(kind), key);
                update.put(absent, new ManifestId(kind, key), new ManifestId(kind, key));
            }
        }
    }

    @SuppressWarnings("unchecked") // every source was stored under the class of its values
    private <V extends Manifest> void put(Update update, V manifest) {
        update.put(source((Class<V>) manifest.getClass()), manifest.key(), manifest);
        update.remove(absent, ManifestId.of(manifest));
    }
}
