// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.envoy.policy;

import io.fathom.control.envoy.view.MeshService;
import io.fathom.wire.kube.manifest.Damage;
import io.fathom.wire.kube.manifest.ObjectKey;
import io.fathom.wire.kube.security.AuthorizationPolicyManifest.PolicyTarget;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What a policy holds on to: an object that it targets, or the namespace it is in.
///
/// @param namespace of the policy
/// @param name empty for a namespace
record Anchor(AnchorKind kind, String namespace, String name) {
    private static final String GATEWAY_API = "gateway.networking.k8s.io";
    private static final String ISTIO = "networking.istio.io";

    enum AnchorKind {
        SERVICE,
        SERVICE_ENTRY,
        GATEWAY,
        GATEWAY_CLASS,
        NAMESPACE,
        /// Each object of the namespace that a policy of it may target.
        ANY_TARGET
    }

    /// Of a policy whose targets could not be read: whatever it may have meant.
    static Set<Anchor> of(String namespace, List<PolicyTarget> targets, Optional<Damage> damage) {
        return damage.filter(Damage::reachesAllOfNamespace).isPresent()
                ? Set.of(namespace(namespace), anyTarget(namespace))
                : of(namespace, targets);
    }

    /// Targets of kinds that policies cannot be attached to lead nowhere.
    private static Set<Anchor> of(String namespace, List<PolicyTarget> targets) {
        if (targets.isEmpty()) {
            return Set.of(namespace(namespace));
        }
        var anchors = new HashSet<Anchor>();
        for (var target : targets) {
            switch (target.group() + "/" + target.kind()) {
                case "/Service", "core/Service" ->
                    anchors.add(new Anchor(AnchorKind.SERVICE, namespace, target.name()));
                case ISTIO + "/ServiceEntry" ->
                    anchors.add(new Anchor(AnchorKind.SERVICE_ENTRY, namespace, target.name()));
                case GATEWAY_API + "/Gateway" -> anchors.add(new Anchor(AnchorKind.GATEWAY, namespace, target.name()));
                case GATEWAY_API + "/GatewayClass" -> anchors.add(gatewayClass(namespace, target.name()));
                default -> {}
            }
        }
        return anchors;
    }

    static Anchor service(MeshService service) {
        var kind = switch (service.origin()) {
            case SERVICE -> AnchorKind.SERVICE;
            case SERVICE_ENTRY -> AnchorKind.SERVICE_ENTRY;
        };
        return new Anchor(kind, service.namespace(), service.metadata().key().name());
    }

    static Anchor gateway(ObjectKey gateway) {
        return new Anchor(AnchorKind.GATEWAY, gateway.namespace(), gateway.name());
    }

    static Anchor gatewayClass(String namespace, String name) {
        return new Anchor(AnchorKind.GATEWAY_CLASS, namespace, name);
    }

    static Anchor anyTarget(String namespace) {
        return new Anchor(AnchorKind.ANY_TARGET, namespace, "");
    }

    static Anchor namespace(String namespace) {
        return new Anchor(AnchorKind.NAMESPACE, namespace, "");
    }
}
