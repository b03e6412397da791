// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.deploy;

import static io.fathom.control.deploy.Maps.map;

import io.fathom.base.lang.ProblemException;
import io.fathom.control.gateway.GatewayProfile;
import io.fathom.wire.kube.gateway.GatewayManifest.Address;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Decides which objects a Gateway becomes. Pure.
///
/// How many replicas run is left out on purpose: whoever scales the Deployment, a person or an autoscaler, keeps that.
final class GatewayPlanner {
    private final DeploySettings settings;

    GatewayPlanner(DeploySettings settings) {
        this.settings = settings;
    }

    /// @param overlays those of the class first, then the Gateway's own
    Plan plan(DeployedGateway gateway, GatewayProfile profile, List<Overlay> overlays, MeshFacts facts) {
        if (!profile.isDeployed()) {
            return new Plan.Nothing("gateways of class " + gateway.className() + " run elsewhere");
        }
        if (!gateway.isDeployedByAddress()) {
            return new Plan.Nothing("its addresses name something that runs already");
        }
        try {
            var objects = new ArrayList<PlannedObject>();
            for (var kind : Kinds.values()) {
                if (kind == Kinds.DAEMON_SET || (kind.isOptional() && !isAsked(kind, overlays))) {
                    continue;
                }
                var base = base(kind, gateway, profile, facts);
                var tree = base.tree();
                for (var overlay : overlays) {
                    tree = overlay.apply(base, tree);
                }
                objects.add(ObjectGuard.admit(gateway, profile, tree));
            }
            return new Plan.Deploy(objects);
        } catch (ProblemException e) {
            return new Plan.Refused(e.problem());
        }
    }

    private static boolean isAsked(Kinds kind, List<Overlay> overlays) {
        return overlays.stream().anyMatch(overlay -> overlay.has(kind));
    }

    private PlannedObject base(Kinds kind, DeployedGateway gateway, GatewayProfile profile, MeshFacts facts) {
        var name = kind == Kinds.SERVICE_ACCOUNT ? gateway.serviceAccount(profile) : gateway.objectName(profile);
        var labels = labels(gateway, profile, facts);
        var annotations = new TreeMap<>(gateway.infrastructureAnnotations());
        if (kind == Kinds.SERVICE && profile != GatewayProfile.INGRESS) {
            annotations.putIfAbsent(GatewayLabels.TRAFFIC_DISTRIBUTION, "PreferClose");
        }
        var metadata = map("name", name, "namespace", gateway.namespace(), "labels", labels);
        if (!annotations.isEmpty()) {
            metadata.put("annotations", annotations);
        }
        metadata.put("ownerReferences", List.of(owner(gateway)));
        var object = map("apiVersion", kind.resource().apiVersion(), "kind", kind.kind(), "metadata", metadata);
        switch (kind) {
            case SERVICE_ACCOUNT -> {}
            case DEPLOYMENT, DAEMON_SET -> object.put("spec", deployment(gateway, profile, facts, labels));
            case SERVICE -> object.put("spec", service(gateway, profile));
            case AUTOSCALER -> object.put("spec", map("scaleTargetRef", target(name)));
            case DISRUPTION_BUDGET -> object.put("spec", map("selector", map("matchLabels", selector(gateway))));
        }
        return new PlannedObject(kind, gateway.namespace(), name, Json.of(object));
    }

    private Map<String, Object> deployment(
            DeployedGateway gateway, GatewayProfile profile, MeshFacts facts, Map<String, String> labels) {
        return map(
                "selector", map("matchLabels", selector(gateway)),
                "template", new ProxyPod(gateway, profile, settings, facts).template(labels));
    }

    private static Map<String, Object> service(DeployedGateway gateway, GatewayProfile profile) {
        var ports = ServicePorts.of(gateway.listeners()).stream()
                .map(port -> map(
                        "name", port.name(),
                        "port", port.number(),
                        "protocol", "TCP",
                        "appProtocol", port.appProtocol()))
                .toList();
        var spec = map(
                "ipFamilyPolicy",
                "PreferDualStack",
                "ports",
                ports,
                "selector",
                selector(gateway),
                "type",
                gateway.annotations().getOrDefault(GatewayLabels.SERVICE_TYPE, profile.serviceType()));
        gateway.addresses().stream()
                .map(Address::value)
                .filter(value -> !value.isEmpty())
                .forEach(value -> spec.put("loadBalancerIP", value)); // one at most
        return spec;
    }

    private static Map<String, String> labels(DeployedGateway gateway, GatewayProfile profile, MeshFacts facts) {
        var labels = new TreeMap<>(gateway.infrastructureLabels());
        if (!facts.network().isEmpty()) {
            labels.putIfAbsent(GatewayLabels.NETWORK, facts.network());
        }
        labels.put(GatewayLabels.GATEWAY_NAME, gateway.name());
        labels.put(GatewayLabels.GATEWAY_CLASS_NAME, gateway.className());
        labels.put(GatewayLabels.MANAGED, profile.managedLabel());
        return labels;
    }

    private static Map<String, Object> selector(DeployedGateway gateway) {
        return map(GatewayLabels.GATEWAY_NAME, gateway.name());
    }

    private static Map<String, Object> target(String name) {
        return map("apiVersion", "apps/v1", "kind", "Deployment", "name", name);
    }

    private static Tree owner(DeployedGateway gateway) {
        return Json.of(map(
                "apiVersion",
                GatewayLabels.GATEWAY_API + "/v1",
                "kind",
                "Gateway",
                "name",
                gateway.name(),
                "uid",
                gateway.uid()));
    }
}
