// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.wire.kube.tree.Field;
import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MergePatch;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The gateways of an `IstioOperator`, as releases of our gateway chart: `components.ingressGateways` and
/// `components.egressGateways`, with the defaults that `values.gateways` has for each list. Settings that the chart
/// does not have are left out with a remark. Pure.
///
/// @param releases those that are enabled, in the order of the document
record UpstreamGateways(List<GatewayRelease> releases, List<String> remarks) {
    private static final Tree EMPTY = Json.of(Map.of());

    /// A list of gateways, and where `values` has its defaults.
    private enum Direction {
        INGRESS("ingressGateways", "istio-ingressgateway", "LoadBalancer"),
        EGRESS("egressGateways", "istio-egressgateway", "ClusterIP");

        private final String list;
        private final String usual;
        private final String service;

        Direction(String list, String usual, String service) {
            this.list = list;
            this.usual = usual;
            this.service = service;
        }
    }

    /// `k8s` of a component: what our chart calls it.
    private static final Map<String, String> OVERLAY = Map.ofEntries(
            Map.entry("replicaCount", "replicaCount"),
            Map.entry("resources", "resources"),
            Map.entry("nodeSelector", "nodeSelector"),
            Map.entry("tolerations", "tolerations"),
            Map.entry("affinity", "affinity"),
            Map.entry("priorityClassName", "priorityClassName"),
            Map.entry("podAnnotations", "podAnnotations"),
            Map.entry("serviceAnnotations", "service.annotations"),
            Map.entry("service.type", "service.type"),
            Map.entry("service.ports", "service.ports"),
            Map.entry("service.loadBalancerIP", "service.loadBalancerIP"),
            Map.entry("service.loadBalancerSourceRanges", "service.loadBalancerSourceRanges"),
            Map.entry("service.externalTrafficPolicy", "service.externalTrafficPolicy"),
            Map.entry("hpaSpec.minReplicas", "autoscale.min"),
            Map.entry("hpaSpec.maxReplicas", "autoscale.max"));

    /// `values.gateways.NAME`: what our chart calls it.
    private static final Map<String, String> VALUES = Map.ofEntries(
            Map.entry("type", "service.type"),
            Map.entry("ports", "service.ports"),
            Map.entry("serviceAnnotations", "service.annotations"),
            Map.entry("loadBalancerIP", "service.loadBalancerIP"),
            Map.entry("loadBalancerSourceRanges", "service.loadBalancerSourceRanges"),
            Map.entry("externalTrafficPolicy", "service.externalTrafficPolicy"),
            Map.entry("autoscaleEnabled", "autoscale.enabled"),
            Map.entry("autoscaleMin", "autoscale.min"),
            Map.entry("autoscaleMax", "autoscale.max"),
            Map.entry("replicaCount", "replicaCount"),
            Map.entry("resources", "resources"),
            Map.entry("nodeSelector", "nodeSelector"),
            Map.entry("tolerations", "tolerations"),
            Map.entry("podAnnotations", "podAnnotations"),
            Map.entry("labels", "labels"),
            Map.entry("env", "env"));

    private static final Set<String> COMPONENT = Set.of("name", "namespace", "enabled", "label", "k8s");

    UpstreamGateways {
        releases = List.copyOf(releases);
        remarks = List.copyOf(remarks);
    }

    /// @param namespace of gateways that name none
    static UpstreamGateways of(Tree spec, String namespace) {
        var releases = new ArrayList<GatewayRelease>();
        var remarks = new ArrayList<String>();
        var root = Field.root(spec);
        for (var direction : Direction.values()) {
            var usual = new Translation("values.gateways." + direction.usual, remarks);
            var defaults = MergePatch.apply(
                    Json.of(Map.of("service", Map.of("type", direction.service))),
                    usual.of(root.at("values").at("gateways").at(direction.usual), VALUES));
            var index = 0;
            for (var component : root.at("components").at(direction.list).items()) {
                var path = "components.%s[%d]".formatted(direction.list, index++);
                if (component.at("enabled").flag(Field.Absent.MEANS_TRUE)) {
                    releases.add(release(component, path, direction, defaults, namespace, remarks));
                }
            }
        }
        return new UpstreamGateways(releases, remarks);
    }

    private static GatewayRelease release(
            Field component, String path, Direction direction, Tree defaults, String namespace, List<String> remarks) {
        component.entries().keySet().stream()
                .filter(name -> !COMPONENT.contains(name))
                .forEach(
                        name -> remarks.add(path + "." + name + " has no effect: the gateway chart has no such value"));
        var overlay = component.at("k8s");
        var values = MergePatch.apply(defaults, new Translation(path + ".k8s", remarks).of(overlay, OVERLAY));
        var more = new LinkedHashMap<String, Object>();
        if (component.at("label").isPresent()) {
            more.put("labels", component.at("label").textMap());
        }
        if (overlay.at("env").isPresent()) {
            more.put("env", environment(overlay.at("env")));
        }
        if (overlay.at("hpaSpec").isPresent()) {
            more.put("autoscale", Map.of("enabled", true));
        }
        return new GatewayRelease(
                component.at("name").text(direction.usual),
                component.at("namespace").text(namespace),
                MergePatch.apply(values, Json.of(more)));
    }

    private static Map<String, Object> environment(Field list) {
        var variables = new LinkedHashMap<String, Object>();
        list.items()
                .forEach(item ->
                        variables.put(item.at("name").text(), item.at("value").text()));
        return variables;
    }

    /// Renames settings by a table; those that are not in it become remarks.
    private record Translation(String path, List<String> remarks) {
        Tree of(Field section, Map<String, String> table) {
            var result = EMPTY;
            if (section.isPresent()) {
                for (var entry : section.entries().entrySet()) {
                    result = setting(result, entry.getKey(), entry.getValue(), table);
                }
            }
            return result;
        }

        private Tree setting(Tree result, String name, Field value, Map<String, String> table) {
            var to = table.get(name);
            if (to != null) {
                return UpstreamValues.patch(result, to, value.tree());
            }
            if (table.keySet().stream().anyMatch(known -> known.startsWith(name + "."))) {
                var merged = result;
                for (var entry : value.entries().entrySet()) {
                    merged = setting(merged, name + "." + entry.getKey(), entry.getValue(), table);
                }
                return merged;
            }
            if (!name.equals("env") && !name.equals("enabled")) {
                remarks.add("%s.%s has no effect: the gateway chart has no such value".formatted(path, name));
            }
            return result;
        }
    }
}
