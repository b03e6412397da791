package io.fathom.tools.local;

import io.fathom.wire.kube.ManifestProblem;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What to try next, once a mesh runs. Pure but for the current folder.
///
/// @param balanced addresses of load balancers by Service
record Farewell(
        EngineConfig config, Programs.Ports ports, Map<String, String> balanced, List<ManifestProblem> problems) {
    private static final int USUAL_HTTP_PORT = 15014;

    String text(double seconds) {
        var manifests = near(config.manifests());
        var tool = ports.http() == USUAL_HTTP_PORT
                ? "bin/up fathomctl"
                : "bin/up fathomctl --fathomd localhost:" + ports.http();
        var text = new StringBuilder("""

                The mesh runs, %.0f s after it was asked for. Try next:

                  bin/up status                       pods, nodes and programs
                  bin/up logs -f visitor              a visitor of the shop, twice a second
                  bin/up exec visitor -- curl -s storefront.shop
                  %s get services -n shop
                  bin/up logs ztunnel-%s          each connection, with the identities of both sides

                Change a file in %s and watch: in shop/policies.yaml let somebody else than `cart` into the store,
                in shop/catalog.yaml set other `replicas`. bin/up down takes everything away again.
                """.formatted(seconds, tool, config.nodes().getFirst(), manifests));
        new TreeMap<>(balanced)
                .forEach((service, address) ->
                        text.append("\nFrom this machine, http://%s/ leads to %s.\n".formatted(address, service)));
        problems.forEach(problem -> text.append("\n").append(problem).append('\n'));
        return text.toString();
    }

    /// As somebody here would write it.
    private static Path near(Path folder) {
        var here = Path.of("").toAbsolutePath();
        return folder.startsWith(here) && !folder.equals(here) ? here.relativize(folder) : folder;
    }
}
