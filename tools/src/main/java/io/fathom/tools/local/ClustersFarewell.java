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
    private static final String GATEWAYS = "istio-eastwest/"; // for other clusters, not for people

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
        if (way == LinkWay.FLEET) {
            hints.put("fathomctl fleet status", "the members of the fleet");
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
            var ways = new TreeMap<>(clusters.get(i).balanced());
            ways.keySet().removeIf(service -> service.startsWith(GATEWAYS));
            ways.forEach((service, address) -> text.append(way(service, address, name)));
            clusters.get(i)
                    .problems()
                    .forEach(problem -> text.append("\n").append(problem).append('\n'));
        }
        return text.toString();
    }

    /// The machine itself cannot see the network of a mesh without root.
    private String way(String service, String address, String name) {
        return config.run().isRootless()
                ? "\nOnly from inside, http://%s/ leads to %s of %s: %s exec fathomd -- curl -si http://%s/\n"
                        .formatted(address, service, name, config.run().up(), address)
                : "\nFrom this machine, http://%s/ leads to %s of %s.\n".formatted(address, service, name);
    }
}
