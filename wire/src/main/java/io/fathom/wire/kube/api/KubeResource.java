// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import io.fathom.wire.kube.ManifestKind;
import io.fathom.wire.kube.ManifestKinds;
import io.fathom.wire.kube.core.CaBundleManifest;
import io.fathom.wire.kube.core.CredentialManifest;
import io.fathom.wire.kube.core.NamespaceManifest;
import io.fathom.wire.kube.core.NodeManifest;
import io.fathom.wire.kube.core.PodManifest;
import io.fathom.wire.kube.core.ServiceManifest;
import io.fathom.wire.kube.manifest.Manifest;
import io.fathom.wire.kube.multicluster.ServiceExportManifest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/// A kind of object as the API server names it.
///
/// @param plural in lower case, as in paths
public record KubeResource(String group, String version, String plural, Scope scope) {
    public static final KubeResource PODS = of(PodManifest.class);
    public static final KubeResource NAMESPACES = of(NamespaceManifest.class);
    public static final KubeResource NODES = of(NodeManifest.class);
    public static final KubeResource ENDPOINT_SLICES =
            new KubeResource("discovery.k8s.io", "v1", "endpointslices", Scope.NAMESPACE);
    public static final KubeResource SERVICES = of(ServiceManifest.class);
    public static final KubeResource CONFIG_MAPS = of(CaBundleManifest.class);
    public static final KubeResource SECRETS = of(CredentialManifest.class);

    // kinds that the mesh does not read
    public static final KubeResource SERVICE_ACCOUNTS = core("serviceaccounts");
    public static final KubeResource DEPLOYMENTS = apps("deployments");
    public static final KubeResource DAEMON_SETS = apps("daemonsets");
    public static final KubeResource LEASES = new KubeResource("coordination.k8s.io", "v1", "leases", Scope.NAMESPACE);
    public static final KubeResource DEFINITIONS =
            new KubeResource("apiextensions.k8s.io", "v1", "customresourcedefinitions", Scope.CLUSTER);
    public static final KubeResource TOKEN_REVIEWS =
            new KubeResource("authentication.k8s.io", "v1", "tokenreviews", Scope.CLUSTER);
    public static final KubeResource VALIDATING_WEBHOOKS = admission("validatingwebhookconfigurations");
    public static final KubeResource MUTATING_WEBHOOKS = admission("mutatingwebhookconfigurations");

    /// Where objects of a kind live.
    public enum Scope {
        CLUSTER,
        NAMESPACE
    }

    /// Of a kind that the mesh reads, in the version to ask for first.
    public static KubeResource of(Class<? extends Manifest> type) {
        var kind = ManifestKinds.of(type);
        var scope = kind.scope() == ManifestKind.Scope.CLUSTER ? Scope.CLUSTER : Scope.NAMESPACE;
        return new KubeResource(kind.group(), kind.versions().getFirst(), kind.plural(), scope);
    }

    private static KubeResource core(String plural) {
        return new KubeResource("", "v1", plural, Scope.NAMESPACE);
    }

    private static KubeResource apps(String plural) {
        return new KubeResource("apps", "v1", plural, Scope.NAMESPACE);
    }

    private static KubeResource admission(String plural) {
        return new KubeResource("admissionregistration.k8s.io", "v1", plural, Scope.CLUSTER);
    }

    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /// The path of all objects, or of those of a namespace.
    String path(String namespace) {
        var root = group.isEmpty() ? "/api/" + version : "/apis/" + group + "/" + version;
        return namespace.isEmpty() || scope == Scope.CLUSTER
                ? root + "/" + plural
                : root + "/namespaces/" + encoded(namespace) + "/" + plural;
    }

    String path(String namespace, String name) {
        if (name.isEmpty() || (scope == Scope.NAMESPACE && namespace.isEmpty())) {
            throw new IllegalArgumentException("an object of " + plural + " needs a name and its namespace");
        }
        return path(namespace) + "/" + encoded(name);
    }

    static String encoded(String text) {
        // Dots alone would be taken for steps in a path.
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replaceAll("^(\\.+)$", "%2E");
    }

    /// Whether a cluster may well be without this kind: one that somebody has to install.
    boolean isExtension() {
        return group.contains(".") && (!group.endsWith(".k8s.io") || group.startsWith("gateway."));
    }

    /// Whether an account that may not read this kind counts as a cluster without it. Nobody is let in for want of such
    /// an object, and accounts by which clusters were joined before it was read keep working.
    boolean isDispensable() {
        return group.equals(ServiceExportManifest.GROUP);
    }

    @Override
    public String toString() {
        return group.isEmpty() ? plural : plural + "." + group;
    }
}
