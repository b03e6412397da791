package io.fathom.wire.kube.api;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/// A kind of object as the API server names it.
///
/// @param plural in lower case, as in paths
public record KubeResource(String group, String version, String plural, Scope scope) {
    public static final KubeResource PODS = core("pods", Scope.NAMESPACE);
    public static final KubeResource NAMESPACES = core("namespaces", Scope.CLUSTER);
    public static final KubeResource NODES = core("nodes", Scope.CLUSTER);
    public static final KubeResource SERVICES = core("services", Scope.NAMESPACE);
    public static final KubeResource CONFIG_MAPS = core("configmaps", Scope.NAMESPACE);
    public static final KubeResource SECRETS = core("secrets", Scope.NAMESPACE);
    public static final KubeResource DAEMON_SETS = new KubeResource("apps", "v1", "daemonsets", Scope.NAMESPACE);
    public static final KubeResource TOKEN_REVIEWS =
            new KubeResource("authentication.k8s.io", "v1", "tokenreviews", Scope.CLUSTER);

    public static final KubeResource SERVICE_ENTRIES = istio("networking", "serviceentries");
    public static final KubeResource WORKLOAD_ENTRIES = istio("networking", "workloadentries");
    public static final KubeResource VIRTUAL_SERVICES = istio("networking", "virtualservices");
    public static final KubeResource DESTINATION_RULES = istio("networking", "destinationrules");
    public static final KubeResource ENVOY_FILTERS =
            new KubeResource("networking.istio.io", "v1alpha3", "envoyfilters", Scope.NAMESPACE);
    public static final KubeResource TELEMETRIES = istio("telemetry", "telemetries");
    public static final KubeResource WASM_PLUGINS = extension("wasmplugins");
    public static final KubeResource TRAFFIC_EXTENSIONS = extension("trafficextensions");
    public static final KubeResource AUTHORIZATION_POLICIES = istio("security", "authorizationpolicies");
    public static final KubeResource REQUEST_AUTHENTICATIONS = istio("security", "requestauthentications");
    public static final KubeResource VALIDATING_WEBHOOKS = admission("validatingwebhookconfigurations");
    public static final KubeResource MUTATING_WEBHOOKS = admission("mutatingwebhookconfigurations");

    /// Where objects of a kind live.
    public enum Scope {
        CLUSTER,
        NAMESPACE
    }

    private static KubeResource core(String plural, Scope scope) {
        return new KubeResource("", "v1", plural, scope);
    }

    private static KubeResource istio(String area, String plural) {
        return new KubeResource(area + ".istio.io", "v1", plural, Scope.NAMESPACE);
    }

    private static KubeResource extension(String plural) {
        return new KubeResource("extensions.istio.io", "v1alpha1", plural, Scope.NAMESPACE);
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

    @Override
    public String toString() {
        return group.isEmpty() ? plural : plural + "." + group;
    }
}
