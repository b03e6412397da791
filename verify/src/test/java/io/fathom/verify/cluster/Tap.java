// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.cluster;

import io.fathom.base.testkit.TestCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/// Listens with tcpdump wherever packets of pods in the mesh pass: on the bridge of each node and on the wire between
/// the nodes. What may be plain by design is left out: probes of the kubelet, and the service outside of the mesh.
final class Tap implements AutoCloseable {
    private static final List<String> WORDS = List.of("HTTP/1.", "GET /", "GET items", "sextant", "anchor", "\"cart\"");
    private static final List<String> NAMESPACES = List.of("shop", "payments", "visitors");
    private static final String PROBES = "169.254.7.127";

    private final List<TestCommand.Running> taps = new ArrayList<>();
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    Tap(KubeMesh mesh) {
        var members = NAMESPACES.stream()
                .flatMap(namespace -> mesh.list("-n", namespace, "pods").stream())
                .map(pod -> "host " + pod.at("/status/podIP").asText())
                .collect(Collectors.joining(" or ", "(", ")"));
        var outside = mesh.list("-n", "outside", "pods").stream()
                .map(pod -> " and not host " + pod.at("/status/podIP").asText())
                .collect(Collectors.joining());
        for (var node : List.of(1, 2)) {
            var gateway = "10.10" + mesh.number() + "." + node + ".1";
            var filter = "tcp and " + members + outside + " and not host " + PROBES + " and not host " + gateway;
            listen(mesh.on(node, "tcpdump", "-lnAU", "-s0", "-i", "cni0", filter));
            listen(mesh.on(node, "tcpdump", "-lnAU", "-s0", "-i", "eth0", filter));
        }
    }

    private void listen(TestCommand command) {
        var tap = command.begin();
        taps.add(tap);
        for (var line = tap.line(); !line.contains("listening on"); line = tap.line()) {
            if (line.isEmpty()) {
                throw new IllegalStateException("tcpdump ended");
            }
        }
        Thread.ofVirtual().start(() -> tap.forEachLine(lines::add));
    }

    /// Waits until encrypted traffic came by: then what came before it has been seen, too.
    void awaitEncrypted() {
        var before = lines.size();
        Awaitility.await("packets of mutual TLS")
                .atMost(Duration.ofSeconds(60))
                .until(() -> lines.stream()
                                .skip(before)
                                .filter(line -> line.contains(".15008:"))
                                .count()
                        > 20);
    }

    /// What anybody on the wire could have read.
    List<String> plainText() {
        return lines.stream()
                .filter(line -> WORDS.stream().anyMatch(line::contains))
                .toList();
    }

    @Override
    public void close() {
        taps.forEach(TestCommand.Running::close);
    }
}
