// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube;

import static io.fathom.wire.kube.ConditionTypes.ENVOY_ACCEPTED;
import static io.fathom.wire.kube.ConditionTypes.EXPORT_CONFLICT;
import static io.fathom.wire.kube.ConditionTypes.EXPORT_READY;
import static io.fathom.wire.kube.ConditionTypes.EXPORT_VALID;
import static io.fathom.wire.kube.ConditionTypes.VISIBILITY_APPLIED;
import static io.fathom.wire.kube.ConditionTypes.WAYPOINT_ACCEPTED;
import static io.fathom.wire.kube.ConditionTypes.WAYPOINT_BOUND;
import static io.fathom.wire.kube.ConditionTypes.WAYPOINT_MISSING;
import static io.fathom.wire.kube.ConditionTypes.ZTUNNEL_ACCEPTED;

import io.fathom.wire.kube.ManifestKind.Following;
import io.fathom.wire.kube.ManifestKind.Scope;
import io.fathom.wire.kube.StatusForm.Generation;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.core.CaBundleReader;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.core.CredentialReader;
import io.fathom.wire.kube.core.EndpointSliceManifest;
import io.fathom.wire.kube.core.EndpointSliceReader;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.NodeManifest;
import io.fathom.wire.kube.core.PlainReaders;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.core.PodReader;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.core.ServiceReader;
import io.fathom.wire.kube.extension.EnvoyFilterManifest;
import io.fathom.wire.kube.extension.EnvoyFilterReader;
import io.fathom.wire.kube.extension.ExtensionReader;
import io.fathom.wire.kube.extension.TrafficExtensionManifest;
import io.fathom.wire.kube.extension.WasmPluginManifest;
import io.fathom.wire.kube.gateway.BackendTlsPolicyManifest;
import io.fathom.wire.kube.gateway.BackendTlsPolicyReader;
import io.fathom.wire.kube.gateway.BackendTrafficPolicyManifest;
import io.fathom.wire.kube.gateway.BackendTrafficPolicyReader;
import io.fathom.wire.kube.gateway.GatewayClassManifest;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayReader;
import io.fathom.wire.kube.gateway.GrpcRouteManifest;
import io.fathom.wire.kube.gateway.HttpRouteManifest;
import io.fathom.wire.kube.gateway.ListenerSetManifest;
import io.fathom.wire.kube.gateway.ListenerSetReader;
import io.fathom.wire.kube.gateway.ReferenceGrantManifest;
import io.fathom.wire.kube.gateway.RouteManifest;
import io.fathom.wire.kube.gateway.RouteReaders;
import io.fathom.wire.kube.gateway.TcpRouteManifest;
import io.fathom.wire.kube.gateway.TlsRouteManifest;
import io.fathom.wire.kube.manifest.KindReader;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.meshconfig.MeshConfigManifest;
import io.fathom.wire.kube.meshconfig.MeshConfigReader;
import io.fathom.wire.kube.multicluster.MulticlusterReaders;
import io.fathom.wire.kube.multicluster.ServiceExportManifest;
import io.fathom.wire.kube.multicluster.ServiceImportManifest;
import io.fathom.wire.kube.networking.DestinationRuleManifest;
import io.fathom.wire.kube.networking.DestinationRuleReader;
import io.fathom.wire.kube.networking.EntryEndpoints;
import io.fathom.wire.kube.networking.IstioGatewayManifest;
import io.fathom.wire.kube.networking.IstioGatewayReader;
import io.fathom.wire.kube.networking.ServiceEntryManifest;
import io.fathom.wire.kube.networking.ServiceEntryReader;
import io.fathom.wire.kube.networking.VirtualServiceManifest;
import io.fathom.wire.kube.networking.VirtualServiceReader;
import io.fathom.wire.kube.networking.WorkloadEntryManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest;
import io.fathom.wire.kube.security.AuthorizationPolicyReader;
import io.fathom.wire.kube.security.PeerAuthenticationManifest;
import io.fathom.wire.kube.security.PeerAuthenticationReader;
import io.fathom.wire.kube.security.RequestAuthenticationManifest;
import io.fathom.wire.kube.security.RequestAuthenticationReader;
import io.fathom.wire.kube.telemetry.TelemetryManifest;
import io.fathom.wire.kube.telemetry.TelemetryReader;
import io.fathom.wire.kube.trust.TrustBundleManifest;
import io.fathom.wire.kube.trust.TrustBundleReader;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Every kind that the mesh reads. Sources of manifests, the tables of the flow and the writers of statuses are made
/// from these rows: a new kind is one row here and one reader.
public final class ManifestKinds {
    private static final String GATEWAY_API = RouteManifest.GROUP;
    private static final String NETWORKING = "networking.istio.io";
    private static final String SECURITY = "security.istio.io";
    private static final String TELEMETRY = "telemetry.istio.io";
    private static final String EXTENSIONS = "extensions.istio.io";

    private static final StatusForm ENTRY = StatusForm.replaced(
            Generation.LEFT_OUT,
            StatusForm.owner(
                    "istio-ambient-service", WAYPOINT_BOUND, WAYPOINT_MISSING, VISIBILITY_APPLIED, ENVOY_ACCEPTED));
    private static final StatusForm WORKLOAD_ENTRY =
            StatusForm.replaced(Generation.LEFT_OUT, StatusForm.owner("istio-ambient-workloadentry", WAYPOINT_BOUND));
    /// Of what is in effect at Envoys.
    private static final StatusForm AT_ENVOYS =
            StatusForm.replaced(Generation.OBSERVED, StatusForm.owner("istio-ambient-waypoint-policy", ENVOY_ACCEPTED));
    /// Of what may be attached to a waypoint, too.
    private static final StatusForm AT_WAYPOINTS = StatusForm.replaced(
            Generation.OBSERVED, StatusForm.owner("istio-ambient-waypoint-policy", WAYPOINT_ACCEPTED, ENVOY_ACCEPTED));
    /// Of what node proxies alone enforce.
    private static final StatusForm AT_NODE_PROXIES = StatusForm.replaced(
            Generation.OBSERVED, StatusForm.owner("istio-ambient-ztunnel-policy", ZTUNNEL_ACCEPTED));
    /// Of what node proxies enforce, too.
    private static final StatusForm EVERYWHERE = StatusForm.replaced(
            Generation.OBSERVED,
            StatusForm.owner("istio-ambient-waypoint-policy", WAYPOINT_ACCEPTED),
            StatusForm.owner("istio-ambient-ztunnel-policy", ZTUNNEL_ACCEPTED, ENVOY_ACCEPTED));

    private static final List<ManifestKind> ALL = List.of(
            core("Pod", PodManifest.class, new PodReader()),
            core("Service", ServiceManifest.class, new ServiceReader())
                    .writing(StatusForm.merged("istio-ambient-service", WAYPOINT_BOUND, ENVOY_ACCEPTED)),
            core("Namespace", NamespaceManifest.class, PlainReaders::namespace)
                    .in(Scope.CLUSTER)
                    .followed(Following.METADATA),
            core("Node", NodeManifest.class, PlainReaders::node)
                    .in(Scope.CLUSTER)
                    .followed(Following.METADATA),
            core("ConfigMap", MeshConfigManifest.class, new MeshConfigReader()),
            core("ConfigMap", TrustBundleManifest.class, new TrustBundleReader()),
            core("ConfigMap", CaBundleManifest.class, new CaBundleReader()).followed(Following.BY_NAME),
            core("Secret", CredentialManifest.class, new CredentialReader()).followed(Following.BY_NAME),
            ManifestKind.of(
                    "discovery.k8s.io", "EndpointSlice", EndpointSliceManifest.class, new EndpointSliceReader(), "v1"),
            gatewayApi("Gateway", GatewayManifest.class, new GatewayReader(), "v1", "v1beta1"),
            gatewayApi("GatewayClass", GatewayClassManifest.class, PlainReaders::gatewayClass, "v1", "v1beta1")
                    .in(Scope.CLUSTER),
            gatewayApi("ListenerSet", ListenerSetManifest.class, new ListenerSetReader(), "v1"),
            gatewayApi("HTTPRoute", HttpRouteManifest.class, RouteReaders::http, "v1", "v1beta1")
                    .writing(StatusForm.PARENTS),
            gatewayApi("GRPCRoute", GrpcRouteManifest.class, RouteReaders::grpc, "v1")
                    .writing(StatusForm.PARENTS),
            // the versions that old and new definitions serve come first
            gatewayApi("TCPRoute", TcpRouteManifest.class, RouteReaders::tcp, "v1alpha2", "v1")
                    .writing(StatusForm.PARENTS),
            gatewayApi("TLSRoute", TlsRouteManifest.class, RouteReaders::tls, "v1alpha2", "v1alpha3", "v1")
                    .writing(StatusForm.PARENTS),
            gatewayApi("ReferenceGrant", ReferenceGrantManifest.class, RouteReaders::referenceGrant, "v1beta1", "v1"),
            gatewayApi(
                            "BackendTLSPolicy",
                            BackendTlsPolicyManifest.class,
                            new BackendTlsPolicyReader(),
                            "v1",
                            "v1alpha3")
                    .writing(StatusForm.ANCESTORS),
            ManifestKind.of(
                            BackendTrafficPolicyManifest.GROUP,
                            "XBackendTrafficPolicy",
                            BackendTrafficPolicyManifest.class,
                            new BackendTrafficPolicyReader(),
                            "v1alpha1")
                    .writing(StatusForm.ANCESTORS),
            // the version that old and new definitions serve comes first
            ManifestKind.of(
                            ServiceExportManifest.GROUP,
                            "ServiceExport",
                            ServiceExportManifest.class,
                            MulticlusterReaders::serviceExport,
                            "v1alpha1",
                            "v1beta1")
                    .writing(StatusForm.merged("fathom-mcs", EXPORT_VALID, EXPORT_READY, EXPORT_CONFLICT)),
            ManifestKind.of(
                    ServiceExportManifest.GROUP,
                    ServiceImportManifest.KIND,
                    ServiceImportManifest.class,
                    MulticlusterReaders::serviceImport,
                    "v1alpha1",
                    "v1beta1"),
            networking("DestinationRule", DestinationRuleManifest.class, new DestinationRuleReader())
                    .writing(AT_ENVOYS),
            networking("Gateway", IstioGatewayManifest.class, new IstioGatewayReader()),
            networking("ServiceEntry", ServiceEntryManifest.class, new ServiceEntryReader())
                    .writing(ENTRY),
            networking("VirtualService", VirtualServiceManifest.class, new VirtualServiceReader())
                    .writing(AT_ENVOYS),
            networking("WorkloadEntry", WorkloadEntryManifest.class, EntryEndpoints::workloadEntry)
                    .writing(WORKLOAD_ENTRY),
            istio(NETWORKING, "EnvoyFilter", EnvoyFilterManifest.class, new EnvoyFilterReader(), "v1alpha3")
                    .writing(AT_WAYPOINTS),
            istio(TELEMETRY, "Telemetry", TelemetryManifest.class, new TelemetryReader(), "v1", "v1alpha1")
                    .writing(AT_WAYPOINTS),
            istio(EXTENSIONS, "WasmPlugin", WasmPluginManifest.class, ExtensionReader::wasmPlugin, "v1alpha1")
                    .writing(AT_WAYPOINTS),
            istio(
                            EXTENSIONS,
                            "TrafficExtension",
                            TrafficExtensionManifest.class,
                            ExtensionReader::trafficExtension,
                            "v1alpha1")
                    .writing(AT_WAYPOINTS),
            security("AuthorizationPolicy", AuthorizationPolicyManifest.class, new AuthorizationPolicyReader())
                    .writing(EVERYWHERE),
            security("PeerAuthentication", PeerAuthenticationManifest.class, new PeerAuthenticationReader())
                    .writing(AT_NODE_PROXIES),
            security("RequestAuthentication", RequestAuthenticationManifest.class, new RequestAuthenticationReader())
                    .writing(AT_WAYPOINTS));

    /// By name; groups may share one.
    private static final Map<String, List<ManifestKind>> BY_NAME =
            ALL.stream().collect(Collectors.groupingBy(ManifestKind::kind));

    private static final Map<Class<? extends Manifest>, ManifestKind> BY_TYPE =
            ALL.stream().collect(Collectors.toUnmodifiableMap(ManifestKind::type, Function.identity()));

    private ManifestKinds() {}

    private static ManifestKind core(String kind, Class<? extends Manifest> type, KindReader reader) {
        return ManifestKind.of("", kind, type, reader, "v1");
    }

    private static ManifestKind gatewayApi(
            String kind, Class<? extends Manifest> type, KindReader reader, String... versions) {
        return ManifestKind.of(GATEWAY_API, kind, type, reader, versions);
    }

    private static ManifestKind networking(String kind, Class<? extends Manifest> type, KindReader reader) {
        return istio(NETWORKING, kind, type, reader, "v1", "v1beta1", "v1alpha3");
    }

    private static ManifestKind security(String kind, Class<? extends Manifest> type, KindReader reader) {
        return istio(SECURITY, kind, type, reader, "v1", "v1beta1");
    }

    private static ManifestKind istio(
            String group, String kind, Class<? extends Manifest> type, KindReader reader, String... versions) {
        return ManifestKind.of(group, kind, type, reader, versions).in(Scope.REVISION);
    }

    /// In the order in which debug pages show them.
    public static List<ManifestKind> all() {
        return ALL;
    }

    public static ManifestKind of(Class<? extends Manifest> type) {
        var kind = BY_TYPE.get(type);
        if (kind == null) {
            throw new IllegalArgumentException(type.getSimpleName() + " is no kind that is read");
        }
        return kind;
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

    /// How ConfigMaps are read that are neither the mesh configuration nor a bundle of roots.
    static ManifestKind caBundle() {
        return of(CaBundleManifest.class);
    }

    /// How ConfigMaps are read that tell the roots of another cluster.
    static ManifestKind trustBundle() {
        return of(TrustBundleManifest.class);
    }
}
