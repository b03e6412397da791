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

    /// What becomes of a setting of upstream's.
    private sealed interface Row {
        /// Our chart has it.
        ///
        /// @param value what our chart calls it
        record Renamed(String value) implements Row {}

        /// It has an effect, but not by its name alone.
        enum ReadElsewhere implements Row {
            /// A list here, a mapping in our chart.
            A_LIST_OF_VARIABLES,
            /// Whether there is such a gateway is up to `components`.
            COMPONENTS_SAY_IT
        }
    }

    /// `k8s` of a component: what our chart calls it.
    private static final Map<String, Row> OVERLAY = Map.ofEntries(
            renamed("replicaCount", "replicaCount"),
            renamed("resources", "resources"),
            renamed("nodeSelector", "nodeSelector"),
            renamed("tolerations", "tolerations"),
            renamed("affinity", "affinity"),
            renamed("priorityClassName", "priorityClassName"),
            renamed("podAnnotations", "podAnnotations"),
            renamed("serviceAnnotations", "service.annotations"),
            renamed("service.type", "service.type"),
            renamed("service.ports", "service.ports"),
            renamed("service.loadBalancerIP", "service.loadBalancerIP"),
            renamed("service.loadBalancerSourceRanges", "service.loadBalancerSourceRanges"),
            renamed("service.externalTrafficPolicy", "service.externalTrafficPolicy"),
            renamed("hpaSpec.minReplicas", "autoscale.min"),
            renamed("hpaSpec.maxReplicas", "autoscale.max"),
            Map.entry("env", Row.ReadElsewhere.A_LIST_OF_VARIABLES));

    /// `values.gateways.NAME`: what our chart calls it.
    private static final Map<String, Row> VALUES = Map.ofEntries(
            renamed("type", "service.type"),
            renamed("ports", "service.ports"),
            renamed("serviceAnnotations", "service.annotations"),
            renamed("loadBalancerIP", "service.loadBalancerIP"),
            renamed("loadBalancerSourceRanges", "service.loadBalancerSourceRanges"),
            renamed("externalTrafficPolicy", "service.externalTrafficPolicy"),
            renamed("autoscaleEnabled", "autoscale.enabled"),
            renamed("autoscaleMin", "autoscale.min"),
            renamed("autoscaleMax", "autoscale.max"),
            renamed("replicaCount", "replicaCount"),
            renamed("resources", "resources"),
            renamed("nodeSelector", "nodeSelector"),
            renamed("tolerations", "tolerations"),
            renamed("podAnnotations", "podAnnotations"),
            renamed("labels", "labels"),
            renamed("env", "env"),
            Map.entry("enabled", Row.ReadElsewhere.COMPONENTS_SAY_IT));

    private static final Set<String> COMPONENT = Set.of("name", "namespace", "enabled", "label", "k8s");

    UpstreamGateways {
        releases = List.copyOf(releases);
        remarks = List.copyOf(remarks);
    }

    private static Map.Entry<String, Row> renamed(String upstream, String ours) {
        return Map.entry(upstream, new Row.Renamed(ours));
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
        Tree of(Field section, Map<String, Row> table) {
            var result = EMPTY;
            if (section.isPresent()) {
                for (var entry : section.entries().entrySet()) {
                    result = setting(result, entry.getKey(), entry.getValue(), table);
                }
            }
            return result;
        }

        private Tree setting(Tree result, String name, Field value, Map<String, Row> table) {
            var row = table.get(name);
            if (row != null) {
                return switch (row) {
                    case Row.Renamed(var to) -> UpstreamValues.patch(result, to, value.tree());
                    case Row.ReadElsewhere _ -> result;
                };
            }
            if (table.keySet().stream().anyMatch(known -> known.startsWith(name + "."))) {
                var merged = result;
                for (var entry : value.entries().entrySet()) {
                    merged = setting(merged, name + "." + entry.getKey(), entry.getValue(), table);
                }
                return merged;
            }
            remarks.add("%s.%s has no effect: the gateway chart has no such value".formatted(path, name));
            return result;
        }
    }
}
