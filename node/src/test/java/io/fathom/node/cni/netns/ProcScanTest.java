// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.netns;

import static org.assertj.core.api.Assertions.assertThat;

import io.fathom.base.posix.NamespaceThread;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.testkit.TestNamespace;
import io.fathom.model.mesh.Ip;
import io.fathom.node.cni.netns.NamespaceView.ListeningSocket;
import io.fathom.node.cni.netns.NamespaceView.ListeningSocket.Protocol;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Real namespaces behind a made-up `/proc`.
class ProcScanTest {
    private static final String UID = "2c48913c-b29f-11e7-9350-020968147796";
    private static final Ip ADDRESS = ip("198.18.255.2");
    private static final Ip ADDRESS6 = ip("2001:db8:77::2");

    private final TestNamespace pod = TestNamespace.create();
    private final TestNamespace host = TestNamespace.create();

    @TempDir
    Path proc;

    private NamespaceThread visitor;
    private ProcScan scan;

    private static Ip ip(String text) {
        return Ip.parse(text).orElseThrow();
    }

    @BeforeEach
    void start() throws IOException {
        visitor = NamespaceThread.start();
        scan = new ProcScan(proc, new NamespaceView(visitor));
        for (var namespace : Set.of(pod, host)) {
            namespace.run("ip", "addr", "add", ADDRESS + "/32", "dev", "lo");
            namespace.run("ip", "-6", "addr", "add", ADDRESS6 + "/128", "dev", "lo", "nodad");
        }
        process(1, "0::/init.scope", host.path(), 1);
    }

    @AfterEach
    void stop() {
        visitor.close();
        pod.close();
        host.close();
    }

    private void process(int pid, String cgroup, Path namespace, int startTime) throws IOException {
        var folder = proc.resolve(Integer.toString(pid));
        Files.createDirectories(folder.resolve("ns"));
        Files.writeString(folder.resolve("cgroup"), cgroup + "\n");
        Files.writeString(
                folder.resolve("stat"),
                pid + " (a ) (name) S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 " + startTime + " 1 1 1\n");
        Files.createSymbolicLink(folder.resolve("ns/net"), namespace);
    }

    private static String group(String uid) {
        return "0::/kubepods/pod" + uid + "/container";
    }

    private boolean finds(Path namespace, Ip... addresses) throws IOException {
        var found = scan.find(Map.of(UID, Set.of(addresses)));
        try (var wanted = NetworkNamespace.open(namespace)) {
            found.values().forEach(NetworkNamespace::close);
            return found.containsKey(UID) && found.get(UID).identity().equals(wanted.identity());
        }
    }

    @Test
    void givenAProcessOfThePodWithItsAddress_thenItsNamespaceIsFound() throws IOException {
        process(7, group(UID), pod.path(), 50);
        assertThat(finds(pod.path(), ADDRESS)).isTrue();
        assertThat(finds(pod.path(), ADDRESS6)).isTrue();
        assertThat(finds(pod.path(), ip("::ffff:198.18.255.2"))).as("mapped").isTrue();
    }

    @Test
    void givenNoOrAnotherAddress_thenNothingIsFound() throws IOException {
        process(7, group(UID), pod.path(), 50);
        assertThat(scan.find(Map.of(UID, Set.of()))).isEmpty();
        assertThat(scan.find(Map.of(UID, Set.of(ip("198.18.255.3"))))).isEmpty();
    }

    @Test
    void givenTheNamespaceOfTheHost_thenItIsNoPods() throws IOException {
        process(7, group(UID), host.path(), 50);
        assertThat(scan.find(Map.of(UID, Set.of(ADDRESS)))).isEmpty();
    }

    @Test
    void givenAProcessThatLeftForAnotherNamespace_thenTheOwnersIsFound() throws IOException {
        try (var elsewhere = TestNamespace.create()) {
            process(7, group(UID), elsewhere.path(), 10);
            process(8, group(UID), pod.path(), 50);
            assertThat(finds(pod.path(), ADDRESS)).isTrue();
        }
    }

    @Test
    void givenSeveral_thenTheOldestWinsAndTheOthersAreClosed() throws IOException {
        try (var younger = TestNamespace.create()) {
            younger.run("ip", "addr", "add", ADDRESS + "/32", "dev", "lo");
            process(7, group(UID), younger.path(), 90);
            process(8, group(UID), pod.path(), 50);
            process(9, group(UID), younger.path(), 70);
            assertThat(finds(pod.path(), ADDRESS)).isTrue();
            var before = descriptors();
            for (var i = 0; i < 20; i++) {
                assertThat(finds(pod.path(), ADDRESS)).isTrue();
            }
            assertThat(descriptors()).isLessThanOrEqualTo(before);
        }
    }

    @Test
    void givenProcessesThatEndMeanwhile_thenTheyAreSkipped() throws IOException {
        Files.createDirectories(proc.resolve("5"));
        Files.createDirectories(proc.resolve("6"));
        Files.writeString(proc.resolve("6/cgroup"), group(UID));
        process(7, group(UID), pod.path(), 50);
        assertThat(finds(pod.path(), ADDRESS)).isTrue();
    }

    @Test
    void whenAFolderNamesNamespaces_thenThoseCount() throws IOException {
        var folder = new NamespaceFolder(proc.resolve("names"));
        Files.createDirectories(proc.resolve("names"));
        Files.createSymbolicLink(proc.resolve("names").resolve(UID), pod.path());
        Files.writeString(proc.resolve("names/plain"), "no namespace");
        var found = folder.find(Map.of(UID, Set.of(), "plain", Set.of(), "absent", Set.of(), "../x", Set.of()));
        assertThat(found).containsOnlyKeys(UID);
        found.values().forEach(NetworkNamespace::close);
    }

    @Test
    void whenSomebodyListens_thenTheViewShowsIt() throws IOException {
        var view = new NamespaceView(visitor);
        try (var namespace = NetworkNamespace.open(pod.path())) {
            assertThat(view.listeners(namespace)).isEmpty();
            var listener = visitor.inside(namespace, () -> {
                var socket = ServerSocketChannel.open();
                socket.bind(new InetSocketAddress(15001));
                return socket;
            });
            try (listener) {
                assertThat(view.listeners(namespace)).containsExactly(new ListeningSocket(Protocol.TCP, 15001));
            }
            assertThat(view.addresses(namespace)).contains(ADDRESS, ADDRESS6, ip("127.0.0.1"), ip("::1"));
        }
    }

    private static long descriptors() throws IOException {
        try (var list = Files.list(Path.of("/proc/self/fd"))) {
            return list.count();
        }
    }
}
