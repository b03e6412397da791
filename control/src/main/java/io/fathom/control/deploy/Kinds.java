// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeResource.Scope;
import java.util.Arrays;
import java.util.Optional;

/// The kinds of objects that a Gateway may become. No others are ever written for one.
enum Kinds {
    SERVICE_ACCOUNT("ServiceAccount", "serviceAccount", new KubeResource("", "v1", "serviceaccounts", Scope.NAMESPACE)),
    DEPLOYMENT("Deployment", "deployment", new KubeResource("apps", "v1", "deployments", Scope.NAMESPACE)),
    DAEMON_SET("DaemonSet", "", KubeResource.DAEMON_SETS),
    SERVICE("Service", "service", KubeResource.SERVICES),
    AUTOSCALER(
            "HorizontalPodAutoscaler",
            "horizontalPodAutoscaler",
            new KubeResource("autoscaling", "v2", "horizontalpodautoscalers", Scope.NAMESPACE)),
    DISRUPTION_BUDGET(
            "PodDisruptionBudget",
            "podDisruptionBudget",
            new KubeResource("policy", "v1", "poddisruptionbudgets", Scope.NAMESPACE));

    static final KubeResource GATEWAYS = gatewayApi("gateways", Scope.NAMESPACE);
    static final KubeResource LISTENER_SETS = gatewayApi("listenersets", Scope.NAMESPACE);
    static final KubeResource GATEWAY_CLASSES = gatewayApi("gatewayclasses", Scope.CLUSTER);
    static final KubeResource REFERENCE_GRANTS =
            new KubeResource(GatewayLabels.GATEWAY_API, "v1beta1", "referencegrants", Scope.NAMESPACE);
    static final KubeResource DEFINITIONS =
            new KubeResource("apiextensions.k8s.io", "v1", "customresourcedefinitions", Scope.CLUSTER);

    private final String kind;
    private final String overlayKey;

    @SuppressWarnings("ImmutableEnumChecker") // a record of texts
    private final KubeResource resource;

    Kinds(String kind, String overlayKey, KubeResource resource) {
        this.kind = kind;
        this.overlayKey = overlayKey;
        this.resource = resource;
    }

    private static KubeResource gatewayApi(String plural, Scope scope) {
        return new KubeResource(GatewayLabels.GATEWAY_API, "v1", plural, scope);
    }

    String kind() {
        return kind;
    }

    KubeResource resource() {
        return resource;
    }

    /// The name of its entry in a ConfigMap of overlays; empty when it has none.
    String overlayKey() {
        return overlayKey;
    }

    /// Whether it is there only when an overlay asks for it.
    boolean isOptional() {
        return this == AUTOSCALER || this == DISRUPTION_BUDGET;
    }

    static Optional<Kinds> ofOverlay(String key) {
        return Arrays.stream(values())
                .filter(kind -> !key.isEmpty() && kind.overlayKey.equals(key))
                .findFirst();
    }

    static Optional<Kinds> of(String apiVersion, String kind) {
        return Arrays.stream(values())
                .filter(known ->
                        known.kind.equals(kind) && known.resource.apiVersion().equals(apiVersion))
                .findFirst();
    }
}
