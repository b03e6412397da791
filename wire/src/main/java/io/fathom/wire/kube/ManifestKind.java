package io.fathom.wire.kube;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A kind that is read: the API versions it is served in, and who reads it.
record ManifestKind(
        String group,
        String kind,
        Class<? extends Manifest> type,
        Scope scope,
        KindReader reader,
        List<String> versions) {

    private static final String GATEWAY_API = "gateway.networking.k8s.io";
    private static final String NETWORKING = "networking.istio.io";
    private static final String SECURITY = "security.istio.io";
    private static final String TELEMETRY = "telemetry.istio.io";
    private static final String EXTENSIONS = "extensions.istio.io";

    private static final List<ManifestKind> ALL = List.of(
            core("Pod", PodManifest.class, Scope.NAMESPACE, new PodReader()),
            core("Service", ServiceManifest.class, Scope.NAMESPACE, new ServiceReader()),
            core("Namespace", NamespaceManifest.class, Scope.CLUSTER, PlainReaders::namespace),
            core("Node", NodeManifest.class, Scope.CLUSTER, PlainReaders::node),
            core("ConfigMap", MeshConfigManifest.class, Scope.NAMESPACE, new MeshConfigReader()),
            core("ConfigMap", CaBundleManifest.class, Scope.NAMESPACE, new CaBundleReader()),
            core("Secret", CredentialManifest.class, Scope.NAMESPACE, new CredentialReader()),
            new ManifestKind(
                    "discovery.k8s.io",
                    "EndpointSlice",
                    EndpointSliceManifest.class,
                    Scope.NAMESPACE,
                    new EndpointSliceReader(),
                    List.of("v1")),
            gatewayApi("Gateway", GatewayManifest.class, Scope.NAMESPACE, new GatewayReader()),
            gatewayApi("GatewayClass", GatewayClassManifest.class, Scope.CLUSTER, PlainReaders::gatewayClass),
            route("ListenerSet", ListenerSetManifest.class, new ListenerSetReader(), "v1"),
            route("HTTPRoute", HttpRouteManifest.class, RouteReaders::http, "v1", "v1beta1"),
            route("GRPCRoute", GrpcRouteManifest.class, RouteReaders::grpc, "v1"),
            // the versions that old and new definitions serve come first
            route("TCPRoute", TcpRouteManifest.class, RouteReaders::tcp, "v1alpha2", "v1"),
            route("TLSRoute", TlsRouteManifest.class, RouteReaders::tls, "v1alpha2", "v1alpha3", "v1"),
            route("ReferenceGrant", ReferenceGrantManifest.class, RouteReaders::referenceGrant, "v1beta1", "v1"),
            route("BackendTLSPolicy", BackendTlsPolicyManifest.class, new BackendTlsPolicyReader(), "v1", "v1alpha3"),
            new ManifestKind(
                    BackendTrafficPolicyManifest.GROUP,
                    "XBackendTrafficPolicy",
                    BackendTrafficPolicyManifest.class,
                    Scope.NAMESPACE,
                    new BackendTrafficPolicyReader(),
                    List.of("v1alpha1")),
            istio(NETWORKING, "DestinationRule", DestinationRuleManifest.class, new DestinationRuleReader()),
            istio(NETWORKING, "Gateway", IstioGatewayManifest.class, new IstioGatewayReader()),
            istio(NETWORKING, "ServiceEntry", ServiceEntryManifest.class, new ServiceEntryReader()),
            istio(NETWORKING, "VirtualService", VirtualServiceManifest.class, new VirtualServiceReader()),
            istio(NETWORKING, "EnvoyFilter", EnvoyFilterManifest.class, new EnvoyFilterReader()),
            istio(TELEMETRY, "Telemetry", TelemetryManifest.class, new TelemetryReader()),
            istio(EXTENSIONS, "WasmPlugin", WasmPluginManifest.class, ExtensionReader::wasmPlugin),
            istio(EXTENSIONS, "TrafficExtension", TrafficExtensionManifest.class, ExtensionReader::trafficExtension),
            istio(NETWORKING, "WorkloadEntry", WorkloadEntryManifest.class, EntryEndpoints::workloadEntry),
            istio(SECURITY, "AuthorizationPolicy", AuthorizationPolicyManifest.class, new AuthorizationPolicyReader()),
            istio(SECURITY, "PeerAuthentication", PeerAuthenticationManifest.class, new PeerAuthenticationReader()),
            istio(
                    SECURITY,
                    "RequestAuthentication",
                    RequestAuthenticationManifest.class,
                    new RequestAuthenticationReader()));

    /// By name; groups may share one.
    private static final Map<String, List<ManifestKind>> BY_NAME =
            ALL.stream().collect(Collectors.groupingBy(ManifestKind::kind));

    /// Where objects of a kind live.
    enum Scope {
        CLUSTER,
        NAMESPACE,
        /// In a namespace, and only for control planes of the revision they are labelled with.
        REVISION
    }

    private static ManifestKind core(String kind, Class<? extends Manifest> type, Scope scope, KindReader reader) {
        return new ManifestKind("", kind, type, scope, reader, List.of("v1"));
    }

    private static ManifestKind gatewayApi(
            String kind, Class<? extends Manifest> type, Scope scope, KindReader reader) {
        return new ManifestKind(GATEWAY_API, kind, type, scope, reader, List.of("v1", "v1beta1"));
    }

    private static ManifestKind route(
            String kind, Class<? extends Manifest> type, KindReader reader, String... versions) {
        return new ManifestKind(GATEWAY_API, kind, type, Scope.NAMESPACE, reader, List.of(versions));
    }

    private static ManifestKind istio(String group, String kind, Class<? extends Manifest> type, KindReader reader) {
        var versions = switch (group) {
            case NETWORKING -> List.of("v1", "v1beta1", "v1alpha3");
            case TELEMETRY -> List.of("v1", "v1alpha1");
            case EXTENSIONS -> List.of("v1alpha1");
            default -> List.of("v1", "v1beta1");
        };
        return new ManifestKind(group, kind, type, Scope.REVISION, reader, versions);
    }

    static List<ManifestKind> all() {
        return ALL;
    }

    static Optional<ManifestKind> find(String group, String kind) {
        return named(kind).filter(found -> found.group().equals(group)).findFirst();
    }

    /// A kind of that name that may have been meant: of the same project if there is one.
    static Optional<ManifestKind> similar(String group, String kind) {
        return named(kind)
                .filter(found -> project(found.group()).equals(project(group)))
                .findFirst()
                .or(() -> named(kind).findFirst());
    }

    private static Stream<ManifestKind> named(String kind) {
        return BY_NAME.getOrDefault(kind, List.of()).stream();
    }

    private static String project(String group) {
        return group.endsWith(".istio.io") ? "istio.io" : "k8s.io";
    }

    boolean isServedIn(String version) {
        return versions.contains(version);
    }

    /// The API version to write.
    String apiVersion() {
        return group.isEmpty() ? versions.getFirst() : group + "/" + versions.getFirst();
    }

    /// How ConfigMaps are read that are not the mesh configuration.
    static ManifestKind caBundle() {
        return ALL.stream()
                .filter(kind -> kind.type() == CaBundleManifest.class)
                .findFirst()
                .orElseThrow();
    }

    boolean isMeshConfig() {
        return type == MeshConfigManifest.class;
    }

    /// Whether its names become parts of host names.
    boolean isNamedByLabel() {
        return type == NamespaceManifest.class || type == ServiceManifest.class;
    }
}
