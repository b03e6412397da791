// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.lab;

import io.fathom.base.testkit.TestNamespace;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// Network namespaces joined by a bridge, with addresses from the range that is set aside for benchmarks: a part of it
/// that no other lab uses. The machine itself has the first address.
final class LabNetwork implements AutoCloseable {
    private static final String PREFIX = "/21";
    private static final int LABS = 32;

    /// What an address is for; each kind has some two hundred.
    enum Kind {
        HOST(0),
        NODE(1),
        POD(2),
        BYSTANDER(3),
        SUCCESSOR(4);

        private final int part;

        Kind(int part) {
            this.part = part;
        }
    }

    private static final Pattern NAMESPACE = Pattern.compile("fathom-(\\d+)-\\d+");
    private static final Pattern BRIDGE = Pattern.compile("\\s(fl(\\d+)):");

    private final String bridge = "fl" + ProcessHandle.current().pid();
    private final Deque<TestNamespace> namespaces = new ArrayDeque<>();
    private final Thread atExit = new Thread(this::clear, "lab-clean-up");
    private final int third;
    private int count;

    LabNetwork() {
        clearAbandoned();
        this.third = freePart();
        Runtime.getRuntime().addShutdownHook(atExit);
        host("ip", "link", "add", bridge, "type", "bridge");
        host("ip", "addr", "add", host() + PREFIX, "dev", bridge);
        host("ip", "link", "set", bridge, "up");
    }

    /// The machine itself.
    String host() {
        return address(Kind.HOST, 1);
    }

    String address(Kind kind, int number) {
        return "198.18." + (third + kind.part) + "." + number;
    }

    private static int freePart() {
        var taken = TestNamespace.execute(List.of("ip", "-o", "-4", "addr"));
        return IntStream.range(0, LABS)
                .map(lab -> lab * 8)
                .filter(part -> !taken.contains("198.18." + part + ".1/"))
                .findFirst()
                .orElseThrow();
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
        namespace.run("ip", "route", "add", "default", "via", host());
        return namespace;
    }

    /// Before the whole network is.
    void remove(TestNamespace namespace) {
        if (namespaces.remove(namespace)) {
            namespace.close();
        }
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
