// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import io.fathom.control.gateway.GatewayProfile;
import io.fathom.control.gateway.GatewayVerdict;
import io.fathom.control.gateway.ListenerVerdict;
import io.fathom.wire.kube.gateway.GatewayManifest;
import io.fathom.wire.kube.gateway.GatewayManifest.Address;
import io.fathom.wire.kube.gateway.GatewayManifest.Listener;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// A Gateway as something to be deployed.
///
/// @param listeners also those that others add
record DeployedGateway(GatewayManifest manifest, List<Listener> listeners) {
    private static final List<String> NOT_INHERITED =
            List.of(GatewayLabels.NAME_OVERRIDE, GatewayLabels.SERVICE_ACCOUNT, GatewayLabels.CONTROLLER_VERSION);

    DeployedGateway {
        listeners = List.copyOf(listeners);
    }

    /// With its own listeners and those that sets may add.
    static DeployedGateway of(GatewayVerdict verdict) {
        return new DeployedGateway(
                verdict.gateway(),
                Stream.concat(
                                verdict.own().stream(),
                                verdict.sets().stream()
                                        .flatMap(set -> set.listeners().stream())
                                        .filter(ListenerVerdict::isAccepted))
                        .map(ListenerVerdict::listener)
                        .toList());
    }

    String namespace() {
        return manifest.namespace();
    }

    String name() {
        return manifest.name();
    }

    String uid() {
        return manifest.metadata().uid();
    }

    String className() {
        return manifest.className();
    }

    Map<String, String> labels() {
        return manifest.labels();
    }

    Map<String, String> annotations() {
        return manifest.annotations();
    }

    List<Address> addresses() {
        return manifest.specAddresses();
    }

    String path() {
        return manifest.key().path();
    }

    /// Labels for everything that is deployed for it, sorted.
    Map<String, String> infrastructureLabels() {
        return inherited(manifest.infrastructure().labels().orElse(labels()));
    }

    /// Annotations for everything that is deployed for it, sorted.
    Map<String, String> infrastructureAnnotations() {
        var infrastructure = manifest.infrastructure();
        return inherited(infrastructure.annotations().orElse(infrastructure.ownAnnotations()));
    }

    private static Map<String, String> inherited(Map<String, String> all) {
        var some = new TreeMap<>(all);
        some.keySet().removeIf(key -> key.startsWith(GatewayLabels.GATEWAY_API + "/") || NOT_INHERITED.contains(key));
        return some;
    }

    /// Whether it leaves its address to us: a host name, or several addresses, mean that something runs already.
    boolean isDeployedByAddress() {
        return isDeployedByAddress(manifest);
    }

    static boolean isDeployedByAddress(GatewayManifest gateway) {
        var addresses = gateway.specAddresses();
        return addresses.isEmpty()
                || (addresses.size() == 1 && addresses.getFirst().type().equals("IPAddress"));
    }

    /// The name of its Deployment and Service.
    String objectName(GatewayProfile profile) {
        return objectName(manifest, profile);
    }

    static String objectName(GatewayManifest gateway, GatewayProfile profile) {
        var override = gateway.annotations().getOrDefault(GatewayLabels.NAME_OVERRIDE, "");
        return override.isEmpty() ? profile.objectName(gateway.name(), gateway.className()) : override;
    }

    /// The account that its proxies run as.
    String serviceAccount(GatewayProfile profile) {
        var override = annotations().getOrDefault(GatewayLabels.SERVICE_ACCOUNT, "");
        return override.isEmpty() ? profile.objectName(name(), className()) : override;
    }
}
