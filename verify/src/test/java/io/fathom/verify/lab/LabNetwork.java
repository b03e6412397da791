package io.fathom.verify.lab;

import io.fathom.base.testkit.TestNamespace;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;

/// Network namespaces joined by a bridge, with addresses from the range that is set aside for benchmarks. The machine
/// itself has the first address.
final class LabNetwork implements AutoCloseable {
    static final String HOST = "198.18.0.1";
    private static final String PREFIX = "/16";
    private static final Pattern NAMESPACE = Pattern.compile("fathom-(\\d+)-\\d+");
    private static final Pattern BRIDGE = Pattern.compile("\\s(fl(\\d+)):");

    private final String bridge = "fl" + ProcessHandle.current().pid();
    private final Deque<TestNamespace> namespaces = new ArrayDeque<>();
    private final Thread atExit = new Thread(this::clear, "lab-clean-up");
    private int count;

    LabNetwork() {
        clearAbandoned();
        Runtime.getRuntime().addShutdownHook(atExit);
        host("ip", "link", "add", bridge, "type", "bridge");
        host("ip", "addr", "add", HOST + PREFIX, "dev", bridge);
        host("ip", "link", "set", bridge, "up");
    }

    /// Another namespace with that address on its `eth0`.
    TestNamespace add(String ip) {
        var namespace = TestNamespace.create();
        namespaces.push(namespace);
        var cable = bridge + "-" + ++count;
        host("ip", "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", namespace.name());
        host("ip", "link", "set", cable, "master", bridge, "up");
        namespace.run("ip", "addr", "add", ip + PREFIX, "dev", "eth0");
        namespace.run("ip", "link", "set", "eth0", "up");
        namespace.run("ip", "route", "add", "default", "via", HOST);
        return namespace;
    }

    private static void host(String... command) {
        var _ = TestNamespace.execute(List.of(command));
    }

    @Override
    public void close() {
        clear();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }

    private synchronized void clear() {
        while (!namespaces.isEmpty()) {
            namespaces.pop().close(); // and with it its end of the cable
        }
        host("ip", "link", "del", bridge);
    }

    /// What a process that was killed has left behind.
    private static void clearAbandoned() {
        for (var line :
                TestNamespace.execute(List.of("ip", "netns", "list")).lines().toList()) {
            var name = NAMESPACE.matcher(line);
            if (name.lookingAt() && !isAlive(name.group(1))) {
                host("ip", "netns", "del", name.group());
            }
        }
        var bridges = TestNamespace.execute(List.of("ip", "-o", "link", "show", "type", "bridge"));
        for (var match = BRIDGE.matcher(bridges); match.find(); ) {
            if (!isAlive(match.group(2))) {
                host("ip", "link", "del", match.group(1));
            }
        }
    }

    private static boolean isAlive(String pid) {
        return ProcessHandle.of(Long.parseLong(pid)).isPresent();
    }
}
