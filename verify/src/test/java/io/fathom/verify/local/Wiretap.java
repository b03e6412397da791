// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.local;

import io.fathom.base.testkit.TestCommand;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;

/// Listens with tcpdump wherever packets leave a pod: on the bridge of each node and between the nodes. What may be
/// plain by design is left out: the probes of the kubelet and the conversation with the service outside of the mesh.
final class Wiretap implements AutoCloseable {
    private static final String PROBES = "169.254.7.127";
    private static final List<String> WORDS = List.of("HTTP/1.", "GET /", "GET items", "sextant", "anchor", "\"cart\"");

    private final List<TestCommand.Running> taps = new ArrayList<>();
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    Wiretap(LocalMesh mesh) {
        var outside = mesh.pods("rates").getFirst().path("ip").asText();
        listen(mesh, "middle", "cables", "not host " + outside);
        for (var node : List.of("node-1", "node-2")) {
            listen(
                    mesh,
                    node,
                    "pods",
                    "not host " + outside + " and not host " + PROBES + " and not host " + gateway(mesh, node));
        }
    }

    /// What goes from one of several clusters to an address of another.
    ///
    /// @param cluster its folder
    Wiretap(LocalMesh mesh, Path cluster, String address) {
        listen(mesh, cluster, "middle", "cables", "host " + address);
    }

    /// The node's own address among its pods: answers to probes go there.
    private static String gateway(LocalMesh mesh, String node) {
        return mesh.pods("").stream()
                .filter(pod -> pod.path("node").asText().equals(node))
                .map(pod -> pod.path("ip").asText().replaceAll("\\.\\d+$", ".1"))
                .findFirst()
                .orElseThrow();
    }

    private void listen(LocalMesh mesh, String namespace, String link, String filter) {
        listen(mesh, mesh.run(), namespace, link, filter);
    }

    private void listen(LocalMesh mesh, Path folder, String namespace, String link, String filter) {
        var tap = mesh.beginAt(folder, namespace, "tcpdump", "-lnAU", "-s0", "-i", link, "tcp and " + filter);
        taps.add(tap);
        for (var line = tap.line(); !line.contains("listening on"); line = tap.line()) {
            if (line.isEmpty()) {
                throw new IllegalStateException("tcpdump ended");
            }
        }
        Thread.ofVirtual().start(() -> tap.forEachLine(lines::add));
    }

    /// Until it has surely seen what went on.
    void awaitEncrypted() {
        Awaitility.await("packets of HBONE")
                .atMost(Duration.ofSeconds(60))
                .until(() ->
                        lines.stream().filter(line -> line.contains(".15008")).count() > 50);
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
