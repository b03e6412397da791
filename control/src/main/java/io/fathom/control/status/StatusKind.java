package io.fathom.control.status;

import io.fathom.wire.kube.AuthorizationPolicyManifest;
import io.fathom.wire.kube.Manifest;
import io.fathom.wire.kube.RequestAuthenticationManifest;
import io.fathom.wire.kube.ServiceEntryManifest;
import io.fathom.wire.kube.ServiceManifest;
import io.fathom.wire.kube.WorkloadEntryManifest;
import io.fathom.wire.kube.api.KubeResource;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/// The kinds whose conditions we write, and which of their conditions are ours.
enum StatusKind {
    SERVICE("Service", Conditions.MERGED, Generation.LEFT_OUT),
    SERVICE_ENTRY("ServiceEntry", Conditions.REPLACED, Generation.LEFT_OUT),
    WORKLOAD_ENTRY("WorkloadEntry", Conditions.REPLACED, Generation.LEFT_OUT),
    AUTHORIZATION_POLICY("AuthorizationPolicy", Conditions.REPLACED, Generation.OBSERVED),
    REQUEST_AUTHENTICATION("RequestAuthentication", Conditions.REPLACED, Generation.OBSERVED);

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

    static Optional<StatusKind> of(String text) {
        return Arrays.stream(values()).filter(kind -> kind.text.equals(text)).findFirst();
    }

    String text() {
        return text;
    }

    Conditions conditions() {
        return conditions;
    }

    Generation generation() {
        return generation;
    }

    KubeResource resource() {
        return switch (this) {
            case SERVICE -> KubeResource.SERVICES;
            case SERVICE_ENTRY -> KubeResource.SERVICE_ENTRIES;
            case WORKLOAD_ENTRY -> KubeResource.WORKLOAD_ENTRIES;
            case AUTHORIZATION_POLICY -> KubeResource.AUTHORIZATION_POLICIES;
            case REQUEST_AUTHENTICATION -> KubeResource.REQUEST_AUTHENTICATIONS;
        };
    }

    Class<? extends Manifest> manifest() {
        return switch (this) {
            case SERVICE -> ServiceManifest.class;
            case SERVICE_ENTRY -> ServiceEntryManifest.class;
            case WORKLOAD_ENTRY -> WorkloadEntryManifest.class;
            case AUTHORIZATION_POLICY -> AuthorizationPolicyManifest.class;
            case REQUEST_AUTHENTICATION -> RequestAuthenticationManifest.class;
        };
    }

    /// The types of conditions that are ours, whether we write them now or not.
    Set<String> owned() {
        return switch (this) {
            case SERVICE, WORKLOAD_ENTRY -> Set.of("istio.io/WaypointBound");
            case SERVICE_ENTRY ->
                Set.of("istio.io/WaypointBound", "istio.io/WaypointMissing", "istio.io/VisibilityApplied");
            case AUTHORIZATION_POLICY -> Set.of("ZtunnelAccepted", "WaypointAccepted");
            case REQUEST_AUTHENTICATION -> Set.of("WaypointAccepted");
        };
    }

    /// Who the API server notes as the owner of conditions of these types. Upstream's names, so that either control
    /// plane can change what the other wrote.
    String manager(Set<String> types) {
        return switch (this) {
            case SERVICE, SERVICE_ENTRY -> "istio-ambient-service";
            case WORKLOAD_ENTRY -> "istio-ambient-workloadentry";
            case AUTHORIZATION_POLICY ->
                types.contains("WaypointAccepted") ? "istio-ambient-waypoint-policy" : "istio-ambient-ztunnel-policy";
            case REQUEST_AUTHENTICATION -> "istio-ambient-waypoint-policy";
        };
    }
}
