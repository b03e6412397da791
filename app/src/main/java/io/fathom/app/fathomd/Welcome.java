// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd;

import io.fathom.app.fathomd.http.MeshPages;
import java.nio.file.Path;
import java.util.List;

/// The text that `bin/up` shows: what is served and where to look. Pure but for the current folder.
final class Welcome {
    private static final int DEFAULT_HTTP_PORT = 15014;

    /// Where it listens.
    record WelcomePorts(int plaintext, int tls, int http) {}

    private Welcome() {}

    static String text(FathomdConfig config, MeshPages.MeshCounts counts, WelcomePorts ports, List<String> problems) {
        var listening = config.listening().addresses().getFirst().toString();
        var host = listening.equals("0.0.0.0") || listening.equals("127.0.0.1") ? "localhost" : listening;
        var tool = ports.http() == DEFAULT_HTTP_PORT
                ? "bin/fathomctl"
                : "bin/fathomctl --fathomd " + host + ":" + ports.http();
        var text = """
                Serving %d workloads, %d services and %d policies from %s

                  xDS, plaintext   %s:%d
                  xDS, TLS         %s:%d
                  HTTP             http://%s:%d/debug

                Look around:
                  %s get services
                  %s get workloads -n shop
                  curl -s http://%s:%d/debug/ambientz?pretty

                Any xDS client sees the same, grpcurl for one:
                  curl -so /tmp/fathom.protoset http://%s:%d/debug/protoset
                  (echo '{"type_url": "type.googleapis.com/istio.workload.Address", "node": {"id": \
                "ztunnel~127.0.0.1~me.default~default.svc.cluster.local"}}'; sleep 2) |
                    grpcurl -plaintext -protoset /tmp/fathom.protoset -d @ %s:%d \\
                      envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources

                %s: the change is on the wire at once.
                """.formatted(
                        counts.workloads(),
                        counts.services(),
                        counts.policies(),
                        origin(config),
                        host,
                        ports.plaintext(),
                        host,
                        ports.tls(),
                        host,
                        ports.http(),
                        tool,
                        tool,
                        host,
                        ports.http(),
                        host,
                        ports.http(),
                        host,
                        ports.plaintext(),
                        config.source().kube().isPresent()
                                ? "Change an object with kubectl"
                                : "Change a file in " + origin(config));
        return problems.isEmpty() ? text : text + complaints(problems);
    }

    private static String origin(FathomdConfig config) {
        return config.source()
                .kube()
                .map(kube -> kube.server().toString())
                .orElseGet(() -> near(config.source().manifests().getFirst()).toString());
    }

    private static String complaints(List<String> problems) {
        var text = new StringBuilder("\nProblems: what they concern is left out or kept as it was.\n");
        problems.forEach(problem -> text.append("  ").append(problem).append('\n'));
        return text.toString();
    }

    /// As somebody here would write it.
    private static Path near(Path folder) {
        var here = Path.of("").toAbsolutePath();
        var there = folder.toAbsolutePath().normalize();
        return there.startsWith(here) && !there.equals(here) ? here.relativize(there) : there;
    }
}
