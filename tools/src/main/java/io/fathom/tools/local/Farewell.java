// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import io.fathom.wire.kube.manifest.ManifestProblem;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// What to try next, once a mesh runs: only what works with this mesh. Pure but for the current folder.
///
/// @param workloads what runs, by `namespace/name`
/// @param balanced addresses of load balancers by Service
record Farewell(
        EngineConfig config, Set<String> workloads, Map<String, String> balanced, List<ManifestProblem> problems) {
    private static final String VISITOR = "visitors/visitor"; // of the samples

    String text(double seconds) {
        var up = config.run().up();
        var samples = workloads.contains(VISITOR);
        var text =
                new StringBuilder("\nThe mesh runs, %.0f s after it was asked for. Try next:\n\n".formatted(seconds));
        var hints = hints(samples);
        var width = hints.keySet().stream().mapToInt(String::length).max().orElse(0);
        hints.forEach((command, meaning) -> text.append(
                        ("  " + up + " " + command + " ".repeat(width - command.length()) + "   " + meaning)
                                .stripTrailing())
                .append('\n'));
        text.append("\nChange a file in %s and watch".formatted(near(config.manifests())));
        text.append(
                samples
                        ? ": in shop/policies.yaml let somebody else than `cart` into the store,\n"
                                + "in shop/catalog.yaml set other `replicas`. "
                        : ". ");
        text.append(up).append(" down takes everything away again.\n");
        new TreeMap<>(balanced).forEach((service, address) -> text.append(way(service, address)));
        problems.forEach(problem -> text.append("\n").append(problem).append('\n'));
        return text.toString();
    }

    private Map<String, String> hints(boolean samples) {
        var hints = new LinkedHashMap<String, String>();
        hints.put("status", "pods, nodes and programs");
        if (samples) {
            hints.put("logs -f visitor", "a visitor of the shop, twice a second");
            hints.put("exec visitor -- curl -s storefront.shop", "");
            hints.put("fathomctl get services -n shop", "");
        } else {
            hints.put("logs", "whose logs there are");
            hints.put("fathomctl get services", "");
        }
        hints.put("logs ztunnel-" + config.nodes().getFirst(), "each connection, with the identities of both sides");
        return hints;
    }

    /// The machine itself cannot see the network of a mesh without root.
    private String way(String service, String address) {
        return config.run().isRootless()
                ? "\nOnly from inside, http://%s/ leads to %s: %s exec fathomd -- curl -si http://%s/\n"
                        .formatted(address, service, config.run().up(), address)
                : "\nFrom this machine, http://%s/ leads to %s.\n".formatted(address, service);
    }

    /// As somebody here would write it.
    private static Path near(Path folder) {
        var here = Path.of("").toAbsolutePath();
        return folder.startsWith(here) && !folder.equals(here) ? here.relativize(folder) : folder;
    }
}
