package io.fathom.control.ambient;

import io.fathom.base.flow.Cut;
import io.fathom.base.flow.Fetch;
import io.fathom.base.flow.Flow;
import io.fathom.base.flow.Source;
import io.fathom.base.flow.Table;
import io.fathom.base.flow.Update;
import io.fathom.wire.kube.AuthorizationPolicyManifest;
import io.fathom.wire.kube.BackendTlsPolicyManifest;
import io.fathom.wire.kube.BackendTrafficPolicyManifest;
import io.fathom.wire.kube.CaBundleManifest;
import io.fathom.wire.kube.CredentialManifest;
import io.fathom.wire.kube.DestinationRuleManifest;
import io.fathom.wire.kube.EndpointSliceManifest;
import io.fathom.wire.kube.EnvoyFilterManifest;
import io.fathom.wire.kube.GatewayClassManifest;
import io.fathom.wire.kube.GatewayManifest;
import io.fathom.wire.kube.GrpcRouteManifest;
import io.fathom.wire.kube.HttpRouteManifest;
import io.fathom.wire.kube.IstioGatewayManifest;
import io.fathom.wire.kube.ListenerSetManifest;
import io.fathom.wire.kube.Manifest;
import io.fathom.wire.kube.ManifestChange;
import io.fathom.wire.kube.MeshConfigManifest;
import io.fathom.wire.kube.NamespaceManifest;
import io.fathom.wire.kube.NodeManifest;
import io.fathom.wire.kube.ObjectKey;
import io.fathom.wire.kube.PeerAuthenticationManifest;
import io.fathom.wire.kube.PodManifest;
import io.fathom.wire.kube.ReferenceGrantManifest;
import io.fathom.wire.kube.RequestAuthenticationManifest;
import io.fathom.wire.kube.RouteManifest;
import io.fathom.wire.kube.ServiceEntryManifest;
import io.fathom.wire.kube.ServiceManifest;
import io.fathom.wire.kube.TcpRouteManifest;
import io.fathom.wire.kube.TelemetryManifest;
import io.fathom.wire.kube.TlsRouteManifest;
import io.fathom.wire.kube.TrafficExtensionManifest;
import io.fathom.wire.kube.VirtualServiceManifest;
import io.fathom.wire.kube.WasmPluginManifest;
import io.fathom.wire.kube.WorkloadEntryManifest;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Where manifests enter the flow: one source per kind, and behind it only those objects that MeshConfig's
/// discovery selectors and our revision let in. No namespace is exempt.
///
/// Pods are not filtered here but where they become workloads: that row looks at its namespace anyway.
final class Inputs {
    private final Flow flow;
    private final AmbientConfig config;
    private final Map<Class<? extends Manifest>, Source<ObjectKey, ? extends Manifest>> sources = new HashMap<>();

    private final Map<Class<? extends Manifest>, Table<ObjectKey, ? extends Manifest>> counting = new HashMap<>();

    private final Source<String, AmbientConfig> settings;
    private final Table<String, MeshSettings> mesh;
    private final Table<ObjectKey, NamespaceManifest> namespaces;
    private final Table<ObjectKey, Boolean> discovered;
    private final Table<ObjectKey, NodeManifest> nodes;
    private final Table<ObjectKey, PodManifest> pods;
    private final Table<ObjectKey, GatewayClassManifest> gatewayClasses;
    private final Table<ObjectKey, ServiceManifest> services;
    private final Table<ObjectKey, EndpointSliceManifest> slices;
    private final Table<ObjectKey, GatewayManifest> gateways;
    private final Table<ObjectKey, ListenerSetManifest> listenerSets;
    private final Table<ObjectKey, IstioGatewayManifest> istioGateways;
    private final Table<ObjectKey, CredentialManifest> credentials;
    private final Table<ObjectKey, ServiceEntryManifest> serviceEntries;
    private final Table<ObjectKey, VirtualServiceManifest> virtualServices;
    private final Table<ObjectKey, WorkloadEntryManifest> workloadEntries;
    private final Table<ObjectKey, AuthorizationPolicyManifest> authorizationPolicies;
    private final Table<ObjectKey, PeerAuthenticationManifest> peerAuthentications;
    private final Table<ObjectKey, RequestAuthenticationManifest> requestAuthentications;
    private final Table<ObjectKey, ReferenceGrantManifest> referenceGrants;
    private final Table<ObjectKey, DestinationRuleManifest> destinationRules;
    private final Table<ObjectKey, BackendTlsPolicyManifest> backendTlsPolicies;
    private final Table<ObjectKey, BackendTrafficPolicyManifest> backendTrafficPolicies;
    private final Table<ObjectKey, CaBundleManifest> caBundles;
    private final Table<String, RouteManifest> routes;
    private final Table<ObjectKey, TelemetryManifest> telemetries;
    private final Table<ObjectKey, WasmPluginManifest> wasmPlugins;
    private final Table<ObjectKey, TrafficExtensionManifest> trafficExtensions;
    private final Table<ObjectKey, EnvoyFilterManifest> envoyFilters;

    Inputs(Flow flow, AmbientConfig config) {
        this.flow = flow;
        this.config = config;
        settings = flow.source("settings");

        var meshConfigs = source("mesh-configs", MeshConfigManifest.class);
        var meshConfig = new ObjectKey(config.clusterId(), config.systemNamespace(), meshConfigName(config));
        mesh = flow.derive(
                "mesh",
                settings,
                (fetch, own) -> Optional.of(MeshSettings.of(own, fetch.one(meshConfigs, meshConfig))));

        namespaces = source("namespaces", NamespaceManifest.class);
        discovered = flow.derive(
                "namespaces/discovered",
                namespaces,
                (fetch, namespace) -> Optional.of(mesh(fetch).discovers(namespace.labels())));
        nodes = source("nodes", NodeManifest.class);
        pods = source("pods", PodManifest.class);
        gatewayClasses = source("gateway-classes", GatewayClassManifest.class);
        services = discoverable("services", ServiceManifest.class);
        slices = discoverable("endpoint-slices", EndpointSliceManifest.class);
        gateways = discoverable("gateways", GatewayManifest.class);
        listenerSets = discoverable("listener-sets", ListenerSetManifest.class);
        istioGateways = revisioned("istio-gateways", IstioGatewayManifest.class);
        credentials = discoverable("credentials", CredentialManifest.class);
        serviceEntries = revisioned("service-entries", ServiceEntryManifest.class);
        virtualServices = revisioned("virtual-services", VirtualServiceManifest.class);
        workloadEntries = revisioned("workload-entries", WorkloadEntryManifest.class);
        authorizationPolicies = revisioned("authorization-policies", AuthorizationPolicyManifest.class);
        peerAuthentications = revisioned("peer-authentications", PeerAuthenticationManifest.class);
        requestAuthentications = revisioned("request-authentications", RequestAuthenticationManifest.class);
        referenceGrants = discoverable("reference-grants", ReferenceGrantManifest.class);
        destinationRules = revisioned("destination-rules", DestinationRuleManifest.class);
        backendTlsPolicies = discoverable("backend-tls-policies", BackendTlsPolicyManifest.class);
        backendTrafficPolicies = discoverable("backend-traffic-policies", BackendTrafficPolicyManifest.class);
        caBundles = discoverable("ca-bundles", CaBundleManifest.class);
        telemetries = revisioned("telemetries", TelemetryManifest.class);
        wasmPlugins = revisioned("wasm-plugins", WasmPluginManifest.class);
        trafficExtensions = revisioned("traffic-extensions", TrafficExtensionManifest.class);
        envoyFilters = revisioned("envoy-filters", EnvoyFilterManifest.class);
        routes = flow.join(
                "routes",
                List.of(
                        routes("http-routes", HttpRouteManifest.class),
                        routes("grpc-routes", GrpcRouteManifest.class),
                        routes("tcp-routes", TcpRouteManifest.class),
                        routes("tls-routes", TlsRouteManifest.class)));
    }

    /// Makes the settings known. To be called once, when all tables are there and before any manifest.
    void start() {
        flow.update(update -> update.put(settings, MeshSettings.KEY, config));
    }

    /// Takes in a batch as one step: every table settles once, and no subscriber sees a part of it.
    void apply(List<ManifestChange> batch) {
        flow.update(update -> batch.forEach(change -> apply(update, change)));
    }

    boolean holds(Cut cut, Class<? extends Manifest> kind, ObjectKey key) {
        var source = sources.get(kind);
        return source != null && cut.of(source).get(key) != null;
    }

    /// Everything taken in, discovered or not, by kind and key.
    Stream<Manifest> manifests(Cut cut) {
        return sources.entrySet().stream()
                .sorted(Comparator.comparing(entry -> entry.getKey().getSimpleName()))
                .flatMap(entry -> rows(cut, entry.getValue()));
    }

    private static <V extends Manifest> Stream<Manifest> rows(Cut cut, Source<ObjectKey, V> source) {
        var rows = new TreeMap<ObjectKey, Manifest>();
        cut.of(source).forEach(rows::put);
        return rows.values().stream();
    }

    /// What MeshConfig and settings say; the only row has the key [MeshSettings#KEY].
    Table<String, MeshSettings> mesh() {
        return mesh;
    }

    MeshSettings mesh(Fetch<?> fetch) {
        return fetch.one(mesh, MeshSettings.KEY).orElseThrow();
    }

    /// Whether objects of the namespace count. Costs up to two tracked fetches.
    boolean discovers(Fetch<?> fetch, ObjectKey namespace) {
        return fetch.one(discovered, namespace).orElseGet(() -> mesh(fetch).discoversEverything());
    }

    /// All of them, discovered or not, by a key without namespace.
    Table<ObjectKey, NamespaceManifest> namespaces() {
        return namespaces;
    }

    /// Each of them, and whether its objects count.
    Table<ObjectKey, Boolean> discovered() {
        return discovered;
    }

    Table<ObjectKey, NodeManifest> nodes() {
        return nodes;
    }

    /// All of them, also of namespaces that are not discovered.
    Table<ObjectKey, PodManifest> pods() {
        return pods;
    }

    Table<ObjectKey, GatewayClassManifest> gatewayClasses() {
        return gatewayClasses;
    }

    Table<ObjectKey, ServiceManifest> services() {
        return services;
    }

    Table<ObjectKey, EndpointSliceManifest> slices() {
        return slices;
    }

    Table<ObjectKey, GatewayManifest> gateways() {
        return gateways;
    }

    Table<ObjectKey, ListenerSetManifest> listenerSets() {
        return listenerSets;
    }

    Table<ObjectKey, IstioGatewayManifest> istioGateways() {
        return istioGateways;
    }

    /// Secrets with certificates.
    Table<ObjectKey, CredentialManifest> credentials() {
        return credentials;
    }

    Table<ObjectKey, ServiceEntryManifest> serviceEntries() {
        return serviceEntries;
    }

    Table<ObjectKey, VirtualServiceManifest> virtualServices() {
        return virtualServices;
    }

    Table<ObjectKey, WorkloadEntryManifest> workloadEntries() {
        return workloadEntries;
    }

    Table<ObjectKey, AuthorizationPolicyManifest> authorizationPolicies() {
        return authorizationPolicies;
    }

    Table<ObjectKey, PeerAuthenticationManifest> peerAuthentications() {
        return peerAuthentications;
    }

    Table<ObjectKey, RequestAuthenticationManifest> requestAuthentications() {
        return requestAuthentications;
    }

    Table<ObjectKey, ReferenceGrantManifest> referenceGrants() {
        return referenceGrants;
    }

    Table<ObjectKey, DestinationRuleManifest> destinationRules() {
        return destinationRules;
    }

    Table<ObjectKey, BackendTlsPolicyManifest> backendTlsPolicies() {
        return backendTlsPolicies;
    }

    Table<ObjectKey, BackendTrafficPolicyManifest> backendTrafficPolicies() {
        return backendTrafficPolicies;
    }

    /// ConfigMaps with CA certificates.
    Table<ObjectKey, CaBundleManifest> caBundles() {
        return caBundles;
    }

    Table<ObjectKey, TelemetryManifest> telemetries() {
        return telemetries;
    }

    Table<ObjectKey, WasmPluginManifest> wasmPlugins() {
        return wasmPlugins;
    }

    Table<ObjectKey, TrafficExtensionManifest> trafficExtensions() {
        return trafficExtensions;
    }

    Table<ObjectKey, EnvoyFilterManifest> envoyFilters() {
        return envoyFilters;
    }

    /// Of all kinds, by `Kind/namespace/name`.
    Table<String, RouteManifest> routes() {
        return routes;
    }

    private <V extends RouteManifest> Table<String, V> routes(String name, Class<V> kind) {
        return flow.rekey(name + "/named", discoverable(name, kind), (key, route) -> route.kind() + "/" + key.path());
    }

    private static String meshConfigName(AmbientConfig config) {
        return config.revision().isEmpty() || config.revision().equals("default")
                ? "istio"
                : "istio-" + config.revision();
    }

    private <V extends Manifest> Source<ObjectKey, V> source(String name, Class<V> kind) {
        var source = flow.<ObjectKey, V>source(name);
        sources.put(kind, source);
        counting.put(kind, source);
        return source;
    }

    /// The objects of a kind that count.
    @SuppressWarnings("unchecked") // every table was stored under the class of its values
    <V extends Manifest> Table<ObjectKey, V> of(Class<V> kind) {
        var table = counting.get(kind);
        if (table == null) {
            throw new IllegalArgumentException("no table of " + kind.getSimpleName());
        }
        return (Table<ObjectKey, V>) table;
    }

    private <V extends Manifest> Table<ObjectKey, V> discoverable(String name, Class<V> kind) {
        return counting(
                kind,
                flow.derive(
                        name + "/discovered",
                        source(name, kind),
                        (fetch, manifest) ->
                                Optional.of(manifest).filter(own -> discovers(fetch, Keys.namespaceOf(own.key())))));
    }

    private <V extends Manifest> Table<ObjectKey, V> counting(Class<V> kind, Table<ObjectKey, V> table) {
        counting.put(kind, table);
        return table;
    }

    private <V extends Manifest> Table<ObjectKey, V> revisioned(String name, Class<V> kind) {
        return counting(
                kind,
                flow.derive(
                        name + "/discovered",
                        source(name, kind),
                        (fetch, manifest) -> Optional.of(manifest)
                                .filter(this::isOurRevision)
                                .filter(own -> discovers(fetch, Keys.namespaceOf(own.key())))));
    }

    private boolean isOurRevision(Manifest manifest) {
        var revision = manifest.labels().get(Markers.REVISION);
        return revision == null || config.revision().isEmpty() || revision.equals(config.revision());
    }

    private void apply(Update update, ManifestChange change) {
        switch (change) {
            case ManifestChange.Put(Manifest manifest) -> put(update, manifest);
            case ManifestChange.Remove(Class<? extends Manifest> kind, ObjectKey key) -> {
                var source = sources.get(kind);
                if (source != null) {
                    update.remove(source, key);
                }
            }
        }
    }

    @SuppressWarnings("unchecked") // every source was stored under the class of its values
    private <V extends Manifest> void put(Update update, V manifest) {
        var source = (Source<ObjectKey, V>) sources.get(manifest.getClass());
        if (source != null) {
            update.put(source, manifest.key(), manifest);
        }
    }
}
