// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.install;

import io.fathom.wire.kube.tree.Json;
import io.fathom.wire.kube.tree.MergePatch;
import io.fathom.wire.kube.tree.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Settings that upstream spells differently, or that mean nothing here. The former are renamed, the latter left out
/// with a remark, so that files written for upstream can be used. Gateways: [UpstreamGateways]. Pure.
///
/// @param spec as our charts know it
/// @param remarks what was left out, and why
record UpstreamValues(Tree spec, List<String> remarks) {
    private static final List<String> GATEWAYS =
            List.of("components.ingressGateways", "components.egressGateways", "values.gateways");

    private static final Map<String, String> RENAMED = Map.of(
            "values.pilot.autoscaleEnabled", "values.pilot.autoscale.enabled",
            "values.pilot.autoscaleMin", "values.pilot.autoscale.min",
            "values.pilot.autoscaleMax", "values.pilot.autoscale.max",
            "values.pilot.cpu.targetAverageUtilization", "values.pilot.autoscale.cpuUtilization",
            "values.global.networkPolicy.enabled", "values.global.networkPolicy",
            "values.global.multiCluster.clusterName", "values.global.clusterID",
            "values.global.proxy.clusterDomain", "values.global.domain",
            "values.platforms", "values.pilot.platforms");

    private static final Map<String, String> MEANINGLESS = Map.of(
            "values.global.proxy",
                    "proxies are configured by their Gateway, and by annotations and parametersRef of it",
            "values.global.multiCluster", "only clusterName of it is known",
            "values.pilot.cpu", "only targetAverageUtilization of it is known",
            "values.pilot.keepaliveMaxServerConnectionAge", "streams of proxies are not ended because of their age",
            "values.cni.repair", "the node agent captures pods that started without it, and deletes none");

    UpstreamValues {
        remarks = List.copyOf(remarks);
    }

    static UpstreamValues of(Tree spec) {
        var result = spec;
        for (var gateways : GATEWAYS) {
            if (find(result, gateways).isPresent()) {
                result = patch(result, gateways, Json.NOTHING);
            }
        }
        for (var rename : sorted(RENAMED)) {
            var found = find(result, rename.getKey());
            if (found.isPresent()) {
                var to = rename.getValue();
                var obsolete = rename.getKey().startsWith(to + ".") ? to : rename.getKey();
                result = patch(patch(result, obsolete, Json.NOTHING), to, found.get());
            }
        }
        var remarks = new ArrayList<String>();
        for (var row : sorted(MEANINGLESS)) {
            var found = find(result, row.getKey());
            if (found.isPresent()) {
                result = patch(result, row.getKey(), Json.NOTHING);
                if (saysSomething(found.get())) {
                    remarks.add(row.getKey() + " has no effect: " + row.getValue());
                }
            }
        }
        return new UpstreamValues(result, remarks);
    }

    private static List<Map.Entry<String, String>> sorted(Map<String, String> table) {
        return table.entrySet().stream().sorted(Map.Entry.comparingByKey()).toList();
    }

    /// Not if it is empty, or a list of what is switched off.
    private static boolean saysSomething(Tree tree) {
        return switch (tree) {
            case Tree.Mapping mapping -> !mapping.entries().isEmpty() && !isOff(mapping);
            case Tree.Sequence sequence -> sequence.items().stream().anyMatch(UpstreamValues::saysSomething);
            case Tree.Scalar _ -> true;
        };
    }

    private static boolean isOff(Tree.Mapping mapping) {
        return mapping.entries().get("enabled") instanceof Tree.Scalar enabled
                && Json.compact(enabled).equals("false");
    }

    private static Optional<Tree> find(Tree tree, String path) {
        var here = Optional.of(tree);
        for (var step : path.split("[.]", -1)) {
            here = here.flatMap(
                    node -> Optional.ofNullable(MeshPlan.entries(node).get(step)));
        }
        return here;
    }

    static Tree patch(Tree tree, String path, Tree value) {
        var patch = value;
        for (var step : List.of(path.split("[.]", -1)).reversed()) {
            patch = Json.of(Map.of(step, patch));
        }
        return MergePatch.apply(tree, patch);
    }
}
