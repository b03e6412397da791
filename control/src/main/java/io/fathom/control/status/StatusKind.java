package io.fathom.control.status;

import io.fathom.wire.kube.AuthorizationPolicyManifest;
import io.fathom.wire.kube.DestinationRuleManifest;
import io.fathom.wire.kube.EnvoyFilterManifest;
import io.fathom.wire.kube.Manifest;
import io.fathom.wire.kube.RequestAuthenticationManifest;
import io.fathom.wire.kube.ServiceEntryManifest;
import io.fathom.wire.kube.ServiceManifest;
import io.fathom.wire.kube.TelemetryManifest;
import io.fathom.wire.kube.TrafficExtensionManifest;
import io.fathom.wire.kube.VirtualServiceManifest;
import io.fathom.wire.kube.WasmPluginManifest;
import io.fathom.wire.kube.WorkloadEntryManifest;
import io.fathom.wire.kube.api.KubeResource;
import java.util.Set;

/// The kinds whose conditions we write, and which of their conditions are ours.
enum StatusKind implements WrittenKind {
    SERVICE("Service", Conditions.MERGED, Generation.LEFT_OUT),
    SERVICE_ENTRY("ServiceEntry", Conditions.REPLACED, Generation.LEFT_OUT),
    WORKLOAD_ENTRY("WorkloadEntry", Conditions.REPLACED, Generation.LEFT_OUT),
    AUTHORIZATION_POLICY("AuthorizationPolicy", Conditions.REPLACED, Generation.OBSERVED),
    REQUEST_AUTHENTICATION("RequestAuthentication", Conditions.REPLACED, Generation.OBSERVED),
    VIRTUAL_SERVICE("VirtualService", Conditions.REPLACED, Generation.OBSERVED),
    DESTINATION_RULE("DestinationRule", Conditions.REPLACED, Generation.OBSERVED),
    TELEMETRY("Telemetry", Conditions.REPLACED, Generation.OBSERVED),
    WASM_PLUGIN("WasmPlugin", Conditions.REPLACED, Generation.OBSERVED),
    TRAFFIC_EXTENSION("TrafficExtension", Conditions.REPLACED, Generation.OBSERVED),
    ENVOY_FILTER("EnvoyFilter", Conditions.REPLACED, Generation.OBSERVED);

    /// What the API server does with conditions that are applied.
    enum Conditions {
        /// Each is by itself; those of others stay.
        MERGED,
        /// The list is one value: whoever writes it must carry the conditions of others along.
        REPLACED
    }

    /// Whether conditions say which generation of the object they are about.
    enum Generation {
        OBSERVED,
        LEFT_OUT
    }

    private final String text;
    private final Conditions conditions;
    private final Generation generation;

    StatusKind(String text, Conditions conditions, Generation generation) {
        this.text = text;
        this.conditions = conditions;
        this.generation = generation;
    }

    @Override
    public String text() {
        return text;
    }

    Conditions conditions() {
        return conditions;
    }

    Generation generation() {
        return generation;
    }

    @Override
    public KubeResource resource() {
        return switch (this) {
            case SERVICE -> KubeResource.SERVICES;
            case SERVICE_ENTRY -> KubeResource.SERVICE_ENTRIES;
            case WORKLOAD_ENTRY -> KubeResource.WORKLOAD_ENTRIES;
            case AUTHORIZATION_POLICY -> KubeResource.AUTHORIZATION_POLICIES;
            case REQUEST_AUTHENTICATION -> KubeResource.REQUEST_AUTHENTICATIONS;
            case VIRTUAL_SERVICE -> KubeResource.VIRTUAL_SERVICES;
            case DESTINATION_RULE -> KubeResource.DESTINATION_RULES;
            case TELEMETRY -> KubeResource.TELEMETRIES;
            case WASM_PLUGIN -> KubeResource.WASM_PLUGINS;
            case TRAFFIC_EXTENSION -> KubeResource.TRAFFIC_EXTENSIONS;
            case ENVOY_FILTER -> KubeResource.ENVOY_FILTERS;
        };
    }

    Class<? extends Manifest> manifest() {
        return switch (this) {
            case SERVICE -> ServiceManifest.class;
            case SERVICE_ENTRY -> ServiceEntryManifest.class;
            case WORKLOAD_ENTRY -> WorkloadEntryManifest.class;
            case AUTHORIZATION_POLICY -> AuthorizationPolicyManifest.class;
            case REQUEST_AUTHENTICATION -> RequestAuthenticationManifest.class;
            case VIRTUAL_SERVICE -> VirtualServiceManifest.class;
            case DESTINATION_RULE -> DestinationRuleManifest.class;
            case TELEMETRY -> TelemetryManifest.class;
            case WASM_PLUGIN -> WasmPluginManifest.class;
            case TRAFFIC_EXTENSION -> TrafficExtensionManifest.class;
            case ENVOY_FILTER -> EnvoyFilterManifest.class;
        };
    }

    /// The types of conditions that are ours, whether we write them now or not.
    Set<String> owned() {
        return switch (this) {
            case SERVICE -> Set.of("istio.io/WaypointBound", Statements.ENVOY_ACCEPTED);
            case WORKLOAD_ENTRY -> Set.of("istio.io/WaypointBound");
            case SERVICE_ENTRY ->
                Set.of(
                        "istio.io/WaypointBound",
                        "istio.io/WaypointMissing",
                        "istio.io/VisibilityApplied",
                        Statements.ENVOY_ACCEPTED);
            case AUTHORIZATION_POLICY ->
                Set.of("ZtunnelAccepted", Statements.WAYPOINT_ACCEPTED, Statements.ENVOY_ACCEPTED);
            case REQUEST_AUTHENTICATION, TELEMETRY, WASM_PLUGIN, TRAFFIC_EXTENSION, ENVOY_FILTER ->
                Set.of(Statements.WAYPOINT_ACCEPTED, Statements.ENVOY_ACCEPTED);
            case VIRTUAL_SERVICE, DESTINATION_RULE -> Set.of(Statements.ENVOY_ACCEPTED);
        };
    }

    /// Who the API server notes as the owner of conditions of these types. Upstream's names, so that either control
    /// plane can change what the other wrote.
    String manager(Set<String> types) {
        return switch (this) {
            case SERVICE, SERVICE_ENTRY -> "istio-ambient-service";
            case WORKLOAD_ENTRY -> "istio-ambient-workloadentry";
            case AUTHORIZATION_POLICY ->
                types.contains(Statements.WAYPOINT_ACCEPTED)
                        ? "istio-ambient-waypoint-policy"
                        : "istio-ambient-ztunnel-policy";
            case REQUEST_AUTHENTICATION,
                    TELEMETRY,
                    WASM_PLUGIN,
                    TRAFFIC_EXTENSION,
                    ENVOY_FILTER,
                    VIRTUAL_SERVICE,
                    DESTINATION_RULE -> "istio-ambient-waypoint-policy";
        };
    }
}
