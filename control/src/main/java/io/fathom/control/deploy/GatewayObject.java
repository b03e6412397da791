package io.fathom.control.deploy;

import io.fathom.wire.kube.GatewayManifest.Address;
import io.fathom.wire.kube.GatewayManifest.AllowedListeners;
import io.fathom.wire.kube.GatewayManifest.EdgeTls;
import io.fathom.wire.kube.GatewayManifest.Listener;
import io.fathom.wire.kube.tree.Tree;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// A Gateway with everything that its deployment and its status depend on.
///
/// @param status as it stands in the object; an empty map when there is none
record GatewayObject(
        String namespace,
        String name,
        String uid,
        long generation,
        Phase phase,
        String className,
        Map<String, String> labels,
        Map<String, String> annotations,
        Infrastructure infrastructure,
        List<Listener> listeners,
        List<Address> addresses,
        List<Address> statusAddresses,
        EdgeTls tls,
        AllowedListeners allowedListeners,
        Tree status) {

    private static final List<String> NOT_INHERITED =
            List.of(Words.LAST_APPLIED, Words.NAME_OVERRIDE, Words.SERVICE_ACCOUNT, Words.CONTROLLER_VERSION);

    /// Whether it waits for its end.
    enum Phase {
        LIVING,
        DELETING
    }

    /// `spec.infrastructure`.
    ///
    /// @param labels empty where the Gateway's own count
    record Infrastructure(
            Optional<Map<String, String>> labels,
            Optional<Map<String, String>> annotations,
            Optional<ParametersRef> parameters) {
        static final Infrastructure NONE = new Infrastructure(Optional.empty(), Optional.empty(), Optional.empty());
    }

    /// An object with overlays.
    record ParametersRef(String group, String kind, String name) {
        boolean isConfigMap() {
            return group.isEmpty() && kind.equals("ConfigMap");
        }
    }

    GatewayObject {
        labels = Map.copyOf(labels);
        annotations = Map.copyOf(annotations);
        listeners = List.copyOf(listeners);
        addresses = List.copyOf(addresses);
        statusAddresses = List.copyOf(statusAddresses);
    }

    /// With the listeners that others add.
    GatewayObject withListeners(List<Listener> all) {
        return new GatewayObject(
                namespace,
                name,
                uid,
                generation,
                phase,
                className,
                labels,
                annotations,
                infrastructure,
                all,
                addresses,
                statusAddresses,
                tls,
                allowedListeners,
                status);
    }

    String path() {
        return namespace + "/" + name;
    }

    /// Labels for everything that is deployed for it, sorted.
    Map<String, String> infrastructureLabels() {
        return inherited(infrastructure.labels().orElse(labels));
    }

    /// Annotations for everything that is deployed for it, sorted.
    Map<String, String> infrastructureAnnotations() {
        return inherited(infrastructure.annotations().orElse(annotations));
    }

    private static Map<String, String> inherited(Map<String, String> all) {
        var some = new TreeMap<>(all);
        some.keySet().removeIf(key -> key.startsWith(Words.GATEWAY_API + "/") || NOT_INHERITED.contains(key));
        return some;
    }

    /// Whether it leaves its address to us: a host name, or several addresses, mean that something runs already.
    boolean isDeployedByAddress() {
        return addresses.isEmpty()
                || (addresses.size() == 1 && addresses.getFirst().type().equals("IPAddress"));
    }

    /// The name of its Deployment and Service.
    String objectName(GatewayProfile profile) {
        var override = annotations.getOrDefault(Words.NAME_OVERRIDE, "");
        return override.isEmpty() ? profile.objectName(name, className) : override;
    }

    /// The account that its proxies run as.
    String serviceAccount(GatewayProfile profile) {
        var override = annotations.getOrDefault(Words.SERVICE_ACCOUNT, "");
        return override.isEmpty() ? profile.objectName(name, className) : override;
    }
}
