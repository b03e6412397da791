// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import io.fathom.base.posix.NamespaceThread;
import io.fathom.base.posix.NetworkNamespace;
import io.fathom.base.testkit.TestNamespace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

/// A host that forwards between a pod and a client elsewhere, as network namespaces with cables between them; and
/// sockets in any of them. Programs end with it.
final class SmallNetwork implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 15_000;
    private static final int IMPATIENCE_MILLIS = 2_000;
    private static final Path PROGRAM = Path.of("src/test/resources/rules/programs/pod.py");

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final NamespaceThread visitor;
    final TestNamespace host = namespace();
    final TestNamespace pod = namespace();
    final TestNamespace client = namespace();

    SmallNetwork() {
        visitor = visitor();
        parts.push(visitor);
        host.run("sh", "-c", """
                echo 1 > /proc/sys/net/ipv4/ip_forward
                echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
                """);
        cable(pod, 1);
        cable(client, 2);
    }

    /// In the network of the pod (1) or the client (2): the host has number 1, the other 2.
    static String address(StandardProtocolFamily family, int network, int number) {
        return family == StandardProtocolFamily.INET
                ? "198.18." + network + "." + number
                : "2001:db8:" + network + "::" + number;
    }

    private void cable(TestNamespace to, int network) {
        var name = "veth" + network;
        host.run("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", to.name());
        for (var family : List.of(StandardProtocolFamily.INET, StandardProtocolFamily.INET6)) {
            var bits = family == StandardProtocolFamily.INET ? "/24" : "/64";
            add(host, name, address(family, network, 1) + bits);
            add(to, "eth0", address(family, network, 2) + bits);
        }
        host.run("ip", "link", "set", name, "up");
        to.run("ip", "link", "set", "eth0", "up");
        to.run("ip", "-4", "route", "add", "default", "via", address(StandardProtocolFamily.INET, network, 1));
        to.run("ip", "-6", "route", "add", "default", "via", address(StandardProtocolFamily.INET6, network, 1));
    }

    private static void add(TestNamespace where, String link, String address) {
        where.run("ip", "addr", "add", address, "dev", link, "nodad");
    }

    private static NamespaceThread visitor() {
        try {
            return NamespaceThread.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private TestNamespace namespace() {
        var namespace = TestNamespace.create();
        parts.push(namespace);
        return namespace;
    }

    /// Starts a role of the program and waits until it listens.
    void start(TestNamespace where, String... role) throws IOException {
        var line = new ArrayList<>(List.of("ip", "netns", "exec", where.name(), "python3", PROGRAM.toString()));
        line.addAll(List.of(role));
        var process = new ProcessBuilder(line).redirectErrorStream(true).start();
        parts.push(() -> process.destroyForcibly().waitFor());
        var said =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        if (!"ready".equals(said)) {
            throw new IllegalStateException(String.join(" ", role) + " said " + said);
        }
    }

    /// What a server says to whoever connects from there.
    String call(TestNamespace from, String address, int port) throws IOException {
        return callFrom(from, "", address, port);
    }

    /// From that address, which must be one of the namespace; any if empty.
    String callFrom(TestNamespace from, String source, String address, int port) throws IOException {
        return callFrom(from, source, address, port, PATIENCE_MILLIS);
    }

    /// For calls that are not expected to get through.
    String tryFrom(TestNamespace from, String source, String address, int port) throws IOException {
        return callFrom(from, source, address, port, IMPATIENCE_MILLIS);
    }

    /// Until a call has the answer that is waited for.
    void await(Callable<Boolean> answered) {
        Awaitility.await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(answered);
    }

    private String callFrom(TestNamespace from, String source, String address, int port, int patience)
            throws IOException {
        var target = new InetSocketAddress(InetAddress.ofLiteral(address), port);
        try (var channel = inside(from, () -> SocketChannel.open(family(address)))) {
            if (!source.isEmpty()) {
                channel.bind(new InetSocketAddress(InetAddress.ofLiteral(source), 0));
            }
            channel.socket().connect(target, patience);
            channel.socket().setSoTimeout(patience);
            return new String(channel.socket().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /// The answer to a datagram.
    String ask(TestNamespace from, String address, int port, String question) throws IOException {
        try (var channel = inside(from, () -> DatagramChannel.open(family(address)))) {
            channel.connect(new InetSocketAddress(InetAddress.ofLiteral(address), port));
            channel.write(ByteBuffer.wrap(question.getBytes(StandardCharsets.UTF_8)));
            channel.socket().setSoTimeout(PATIENCE_MILLIS);
            var packet = new DatagramPacket(new byte[2048], 2048);
            channel.socket().receive(packet);
            return new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8);
        }
    }

    private <T> T inside(TestNamespace where, NamespaceThread.Task<T> task) throws IOException {
        try (var namespace = NetworkNamespace.open(where.path())) {
            return visitor.inside(namespace, task);
        }
    }

    private static ProtocolFamily family(String address) {
        return address.contains(":") ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
    }

    @Override
    public void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
