// SPDX-License-Identifier: Apache-2.0
package io.fathom.verify.envoy;

import io.fathom.base.testkit.TestNamespace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.IntStream;

/// A network namespace for one proxy and a cable to it. This side has the address of the control plane and, as more
/// addresses of the same interface, those of pods: they are played by this process.
public final class LabLink implements AutoCloseable {
    private static final String RANGE = "198.19.";
    private static final int LABS = 200;

    private final TestNamespace namespace = TestNamespace.create();
    private final String cable;
    private final int third;
    private int pods;

    public LabLink() {
        cable = "fw" + namespace.name().substring("fathom-".length()).replace("-", "x");
        third = freePart();
        host("ip", "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", namespace.name());
        host("ip", "addr", "add", host() + "/24", "dev", cable);
        host("ip", "link", "set", cable, "up");
        namespace.run("ip", "addr", "add", proxy() + "/24", "dev", "eth0");
        namespace.run("ip", "link", "set", "eth0", "up");
    }

    TestNamespace namespace() {
        return namespace;
    }

    /// Where the control plane is reached.
    String host() {
        return address(1);
    }

    String proxy() {
        return address(2);
    }

    /// A cable between both proxies, so that each calls the other one from its own address.
    void join(LabLink other) {
        namespace.run(
                "ip",
                "link",
                "add",
                "beside",
                "type",
                "veth",
                "peer",
                "name",
                "beside",
                "netns",
                other.namespace.name());
        lead(other);
        other.lead(this);
    }

    private void lead(LabLink other) {
        namespace.run("ip", "link", "set", "beside", "up");
        namespace.run("ip", "route", "add", other.proxy(), "dev", "beside", "src", proxy());
    }

    /// Another address that this process may listen on.
    public String addPod() {
        var ip = address(10 + pods++);
        host("ip", "addr", "add", ip + "/32", "dev", cable);
        return ip;
    }

    /// Lets what is started in the namespace from now on find a host by its name.
    void name(String host, String ip) {
        var line = ip + " " + host + "\n";
        try {
            Files.createDirectories(hosts().getParent());
            Files.writeString(hosts(), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What `ip netns exec` shows as `/etc/hosts`.
    private Path hosts() {
        return Path.of("/etc/netns", namespace.name(), "hosts");
    }

    /// Some address that nobody has.
    String virtual(int number) {
        return "240.10." + third + "." + number;
    }

    private String address(int last) {
        return RANGE + third + "." + last;
    }

    private static int freePart() {
        var taken = TestNamespace.execute(List.of("ip", "-o", "-4", "addr"));
        var start = (int) (ProcessHandle.current().pid() % LABS);
        return IntStream.range(0, LABS)
                .map(lab -> (start + lab) % LABS)
                .filter(part -> !taken.contains(RANGE + part + ".1/"))
                .findFirst()
                .orElseThrow();
    }

    private static void host(String... command) {
        var _ = TestNamespace.execute(List.of(command));
    }

    @Override
    public void close() {
        namespace.close(); // and with it both ends of the cable
        try {
            if (Files.deleteIfExists(hosts())) {
                Files.delete(hosts().getParent());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
