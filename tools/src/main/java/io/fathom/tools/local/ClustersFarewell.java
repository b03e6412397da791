// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeMap;

/// What to try next, once several clusters run.
///
/// @param names of the clusters
record ClustersFarewell(EngineConfig config, List<String> names, LinkWay way) {
    private static final String VISITOR = "visitors/visitor"; // of the samples

    String text(double seconds, List<LocalCluster> clusters) {
        var first = names.getFirst();
        var second = names.get(1);
        var hints = new LinkedHashMap<String, String>();
        hints.put("status", "pods, nodes and programs of each cluster");
        if (way == LinkWay.NONE) {
            hints.put("fathomctl multicluster link", "make them one mesh");
        } else {
            hints.put("fathomctl multicluster check", "each link from both ends, and who answers at the gateways");
        }
        if (clusters.getFirst().workloads().contains(VISITOR)) {
            hints.put("exec " + first + "/visitor -- curl -s cart.shop/items", "crosses to another cluster");
        }
        hints.put("logs " + second + "/ztunnel-" + config.nodes().getFirst(), "each connection, with both identities");
        hints.put("--cluster " + second + " fathomctl get services", "what its control plane serves");
        var up = config.run().up();
        var text = new StringBuilder(
                "\n%d clusters run, %.0f s after they were asked for. Try next:\n\n".formatted(names.size(), seconds));
        var width = hints.keySet().stream().mapToInt(String::length).max().orElse(0);
        hints.forEach((command, meaning) -> text.append("  " + up + " " + command)
                .repeat(" ", width - command.length() + 3)
                .append(meaning)
                .append('\n'));
        text.append("\n").append(up).append(" down takes everything away again.\n");
        for (int i = 0; i < names.size(); i++) {
            var name = names.get(i);
            new TreeMap<>(clusters.get(i).balanced())
                    .forEach((service, address) ->
                            text.append("\nhttp://%s/ leads to %s of %s".formatted(address, service, name)));
            clusters.get(i).problems().forEach(problem -> text.append("\n").append(problem));
        }
        return text.append('\n').toString();
    }
}
