// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.wire.kube.ManifestKind;
import io.fathom.wire.kube.api.KubeResource;
import io.fathom.wire.kube.api.KubeResource.Scope;
import io.fathom.wire.kube.gateway.GatewayClassManifest;
import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Tree;
import java.util.Optional;
import java.util.Set;

/// The kinds of objects in our charts, as the API server names them, and the kinds that a mesh is made of.
final class KnownKinds {
    static final KubeResource GATEWAY_CLASSES = KubeResource.of(GatewayClassManifest.class);

    private static final Set<String> IN_NAMESPACES = Set.of(
            "ServiceAccount",
            "ConfigMap",
            "Service",
            "ResourceQuota",
            "Deployment",
            "DaemonSet",
            "HorizontalPodAutoscaler",
            "PodDisruptionBudget",
            "NetworkPolicy",
            "Role",
            "RoleBinding");
    private static final Set<String> OF_CLUSTERS = Set.of(
            "ClusterRole", "ClusterRoleBinding", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration");

    private KnownKinds() {}

    /// How to ask for an object like this one; empty for kinds that no chart of ours has.
    static Optional<KubeResource> of(Tree object) {
        var root = Field.root(object);
        var kind = root.at("kind").text();
        var ofCluster = OF_CLUSTERS.contains(kind);
        if (!ofCluster && !IN_NAMESPACES.contains(kind)) {
            return Optional.empty();
        }
        var version = root.at("apiVersion").text();
        var slash = version.indexOf('/');
        return Optional.of(new KubeResource(
                slash < 0 ? "" : version.substring(0, slash),
                version.substring(slash + 1),
                ManifestKind.plural(kind),
                ofCluster ? Scope.CLUSTER : Scope.NAMESPACE));
    }
}
