package io.fathom.tools.install;

import static io.fathom.wire.kube.api.KubeResource.Scope.CLUSTER;
import static io.fathom.wire.kube.api.KubeResource.Scope.NAMESPACE;

import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeResource.Scope;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Tree;
import java.util.Map;
import java.util.Optional;

/// The kinds of objects in our charts, as the API server names them, and the kinds that a mesh is made of.
final class KnownKinds {
    static final KubeResource NAMESPACES = KubeResource.NAMESPACES;
    static final KubeResource DEFINITIONS =
            new KubeResource("apiextensions.k8s.io", "v1", "customresourcedefinitions", CLUSTER);
    static final KubeResource DEPLOYMENTS = new KubeResource("apps", "v1", "deployments", NAMESPACE);
    static final KubeResource VALIDATORS =
            new KubeResource("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", CLUSTER);
    static final KubeResource LEASES = new KubeResource("coordination.k8s.io", "v1", "leases", NAMESPACE);
    static final KubeResource GATEWAY_CLASSES =
            new KubeResource("gateway.networking.k8s.io", "v1", "gatewayclasses", CLUSTER);

    private record Kind(String plural, Scope scope) {}

    private static final Map<String, Kind> KINDS = Map.ofEntries(
            Map.entry("ServiceAccount", new Kind("serviceaccounts", NAMESPACE)),
            Map.entry("ConfigMap", new Kind("configmaps", NAMESPACE)),
            Map.entry("Service", new Kind("services", NAMESPACE)),
            Map.entry("ResourceQuota", new Kind("resourcequotas", NAMESPACE)),
            Map.entry("Deployment", new Kind("deployments", NAMESPACE)),
            Map.entry("DaemonSet", new Kind("daemonsets", NAMESPACE)),
            Map.entry("HorizontalPodAutoscaler", new Kind("horizontalpodautoscalers", NAMESPACE)),
            Map.entry("PodDisruptionBudget", new Kind("poddisruptionbudgets", NAMESPACE)),
            Map.entry("NetworkPolicy", new Kind("networkpolicies", NAMESPACE)),
            Map.entry("Role", new Kind("roles", NAMESPACE)),
            Map.entry("RoleBinding", new Kind("rolebindings", NAMESPACE)),
            Map.entry("ClusterRole", new Kind("clusterroles", CLUSTER)),
            Map.entry("ClusterRoleBinding", new Kind("clusterrolebindings", CLUSTER)),
            Map.entry("ValidatingWebhookConfiguration", new Kind("validatingwebhookconfigurations", CLUSTER)),
            Map.entry("MutatingWebhookConfiguration", new Kind("mutatingwebhookconfigurations", CLUSTER)));

    private KnownKinds() {}

    /// How to ask for an object like this one; empty for kinds that no chart of ours has.
    static Optional<KubeResource> of(Tree object) {
        var root = Field.root(object);
        var version = root.at("apiVersion").text();
        var slash = version.indexOf('/');
        return Optional.ofNullable(KINDS.get(root.at("kind").text()))
                .map(kind -> new KubeResource(
                        slash < 0 ? "" : version.substring(0, slash),
                        version.substring(slash + 1),
                        kind.plural(),
                        kind.scope()));
    }
}
