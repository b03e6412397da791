// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.view;

import io.fathom.control.envoy.view.MeshService.Origin;
import io.fathom.control.gateway.GatewayProfile;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Why an object is for some proxy and service, from the widest reason to the narrowest. Pure.
public enum Reach {
    /// It is in the root namespace and names nothing.
    MESH,
    /// It is in the root namespace and names the class of the Gateway.
    GATEWAY_CLASS,
    /// It is in the namespace of the proxies and names nothing.
    NAMESPACE,
    /// It is in the namespace of the service and names nothing.
    SERVICE_NAMESPACE,
    /// It selects the proxies by their labels, or names their Gateway.
    GATEWAY,
    /// It names the service.
    SERVICE;

    private static final String GATEWAY_API = "gateway.networking.k8s.io";
    private static final String ISTIO = "networking.istio.io";

    /// Empty when the object is not for them. Labels select no waypoints: these are named.
    ///
    /// @param selector of the object, empty when it has none
    /// @param targets of the object; with any of them the selector does not count
    public static Optional<Reach> of(
            ObjectKey object, Optional<Map<String, String>> selector, List<PolicyTarget> targets, Situation situation) {
        if (!targets.isEmpty()) {
            return targets.stream()
                    .flatMap(target -> of(object.namespace(), target, situation).stream())
                    .max(Reach::compareTo);
        }
        var group = situation.group();
        var labels = selector.orElse(Map.of());
        if (!labels.isEmpty()) {
            var near = object.namespace().equals(group.namespace())
                    || object.namespace().equals(situation.rootNamespace());
            return near
                            && group.role() == ProxyRole.INGRESS
                            && group.labels().entrySet().containsAll(labels.entrySet())
                    ? Optional.of(GATEWAY)
                    : Optional.empty();
        }
        if (object.namespace().equals(situation.rootNamespace())) {
            return Optional.of(MESH);
        }
        if (object.namespace().equals(group.namespace())) {
            return Optional.of(NAMESPACE);
        }
        return situation
                .service()
                .filter(service -> service.namespace().equals(object.namespace()))
                .map(_ -> SERVICE_NAMESPACE);
    }

    private static Optional<Reach> of(String namespace, PolicyTarget target, Situation situation) {
        var group = situation.group();
        return switch (target.group() + "/" + target.kind()) {
            case GATEWAY_API + "/Gateway" ->
                Optional.of(GATEWAY)
                        .filter(_ -> namespace.equals(group.namespace())
                                && target.name().equals(group.gateway().name()));
            case GATEWAY_API + "/GatewayClass" ->
                Optional.of(GATEWAY_CLASS)
                        .filter(_ -> namespace.equals(situation.rootNamespace())
                                && profile(group.role()).isNamed(target.name()));
            case "/Service", "core/Service" -> service(namespace, target, situation, Origin.SERVICE);
            case ISTIO + "/ServiceEntry" -> service(namespace, target, situation, Origin.SERVICE_ENTRY);
            default -> Optional.empty();
        };
    }

    private static Optional<Reach> service(String namespace, PolicyTarget target, Situation situation, Origin origin) {
        return situation
                .service()
                .filter(service -> service.origin() == origin
                        && namespace.equals(service.metadata().key().namespace())
                        && target.name().equals(service.metadata().key().name()))
                .map(_ -> SERVICE);
    }

    private static GatewayProfile profile(ProxyRole role) {
        return switch (role) {
            case WAYPOINT -> GatewayProfile.WAYPOINT;
            case EAST_WEST -> GatewayProfile.EAST_WEST;
            case INGRESS -> GatewayProfile.INGRESS;
        };
    }
}
