// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local.net;

import io.fathom.base.lang.Problem;
import io.fathom.base.lang.ProblemException;
import io.fathom.tools.local.run.Commands;
import io.fathom.tools.local.run.RunFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// The wires: a namespace for each node and each pod, a bridge on each node for its pods, and one more namespace with a
/// bridge between the nodes and the machine. The machine itself gets one link, which is all that others can see.
///
/// Nothing has to be taken down: the namespaces have names only in the mount namespace of this process, and the link
/// goes with them. Any thread.
public final class LocalNetwork {
    private static final String QUIET = "echo 1 > /proc/sys/net/ipv6/conf/%s/disable_ipv6";

    private final RunFolder run;
    private final List<String> nodes;
    private final Slot slot;
    private final AtomicInteger cables = new AtomicInteger();

    private LocalNetwork(RunFolder run, List<String> nodes, Slot slot) {
        this.run = run;
        this.nodes = List.copyOf(nodes);
        this.slot = slot;
    }

    /// Takes the first slot that nobody has.
    ///
    /// @throws ProblemException when there is none, or the system does not let us
    public static LocalNetwork create(RunFolder run, List<String> nodes) {
        var middle = namespace(run.namespace("middle"));
        var network = new LocalNetwork(run, nodes, claim(middle));
        network.joinMachine(middle);
        for (int node = 0; node < nodes.size(); node++) {
            network.addNode(node, middle);
        }
        network.addServices();
        return network;
    }

    int nodes() {
        return nodes.size();
    }

    /// Sets rules of nftables on a node.
    void filter(int node, String rules) {
        Commands.nft(run.namespace(nodes.get(node)), rules);
    }

    public Slot slot() {
        return slot;
    }

    /// Making the link is the claim: its name can be had only once.
    private static Slot claim(Path middle) {
        var failure = new ProblemException(Problem.ofInput(
                "no-slot", "sixteen meshes run on this machine", "take one down with bin/up --run-dir DIR down"));
        for (int number = 0; number < Slot.COUNT; number++) {
            var slot = new Slot(number);
            try {
                Commands.run(
                        "ip",
                        "link",
                        "add",
                        slot.link(),
                        "type",
                        "veth",
                        "peer",
                        "name",
                        "machine",
                        "netns",
                        "" + middle);
                return slot;
            } catch (ProblemException e) {
                failure = e;
                if (!e.problem().message().contains("File exists")) {
                    throw e;
                }
            }
        }
        throw failure;
    }

    private void joinMachine(Path middle) {
        Commands.ip(
                middle,
                "link add cables type bridge",
                "link set cables up",
                "link set lo up",
                "link set machine master cables up");
        Commands.run("ip", "link", "set", "lo", "up"); // not so by itself where the machine is a namespace
        Commands.run("ip", "addr", "add", slot.machine() + "/24", "dev", slot.link());
        Commands.run("ip", "link", "set", slot.link(), "up");
    }

    private void addNode(int node, Path middle) {
        var namespace = namespace(run.namespace(nodes.get(node)));
        Commands.shell(
                namespace,
                QUIET.formatted("all"),
                QUIET.formatted("default"),
                "echo 1 > /proc/sys/net/ipv4/ip_forward");
        Commands.ip(
                middle,
                "link add %1$s type veth peer name uplink netns %2$s".formatted(nodes.get(node), namespace),
                "link set %s master cables up".formatted(nodes.get(node)));
        Commands.ip(
                namespace,
                "link set lo up",
                "addr add %s/24 dev uplink".formatted(slot.node(node)),
                "link set uplink up",
                "link add pods type bridge",
                "addr add %s/24 dev pods".formatted(slot.gateway(node)),
                "link set pods up");
        for (int other = 0; other < nodes.size(); other++) {
            if (other != node) {
                Commands.ip(namespace, "route add %s via %s".formatted(slot.podBlock(other), slot.node(other)));
            }
        }
        Commands.run("ip", "route", "add", slot.podBlock(node), "via", slot.node(node), "dev", slot.link());
    }

    /// The addresses of Services belong to nobody: nodes turn them into those of pods (see [ServiceRules]), the machine
    /// has the first node do it. Without the routes they would go out to strangers.
    private void addServices() {
        for (var node : nodes) {
            Commands.ip(run.namespace(node), "route add %s dev uplink".formatted(slot.serviceBlock()));
        }
        Commands.run("ip", "route", "add", slot.serviceBlock(), "via", slot.node(0), "dev", slot.link());
    }

    /// Lets pods call the load balancers of another mesh on this machine, and nothing else of it: these addresses are
    /// the machine's own, so nothing is forwarded.
    public void reachBalancers(Slot other) {
        for (var node : nodes) {
            for (var block : other.balancerBlocks()) {
                Commands.ip(run.namespace(node), "route add %s via %s".formatted(block, slot.machine()));
            }
        }
    }

    /// Lets pods of another mesh on this machine call ours directly, and the other way round: a cable from each node to
    /// each.
    public void joinNodes(LocalNetwork other) {
        for (int ours = 0; ours < nodes.size(); ours++) {
            for (int theirs = 0; theirs < other.nodes.size(); theirs++) {
                Commands.ip(
                        run.namespace(nodes.get(ours)),
                        "link add %s type veth peer name %s netns %s"
                                .formatted(
                                        other.slot.cable(theirs),
                                        slot.cable(ours),
                                        other.run.namespace(other.nodes.get(theirs))));
                reachPods(ours, other.slot, theirs);
                other.reachPods(theirs, slot, ours);
            }
        }
    }

    private void reachPods(int node, Slot other, int peer) {
        var cable = other.cable(peer);
        Commands.ip(
                run.namespace(nodes.get(node)),
                "link set %s up".formatted(cable),
                "route add %s dev %s src %s".formatted(other.node(peer), cable, slot.node(node)),
                "route add %s via %s".formatted(other.podBlock(peer), other.node(peer)));
    }

    /// A namespace with that address, on that node's bridge. The answer is the node's end of its cable.
    public String addPod(int node, String uid, String ip) {
        var namespace = namespace(run.podNamespace(uid));
        var cable = "pod" + cables.incrementAndGet();
        // Traffic over IPv6 would pass the capture by, so there is none.
        // Pods may have any port, such as 80, as they may in clusters.
        Commands.shell(
                namespace,
                QUIET.formatted("all"),
                QUIET.formatted("default"),
                "echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start");
        Commands.ip(
                run.namespace(nodes.get(node)),
                "link add %s type veth peer name eth0 netns %s".formatted(cable, namespace),
                "link set %s master pods up".formatted(cable));
        Commands.ip(
                namespace,
                "link set lo up",
                "addr add %s/24 dev eth0".formatted(ip),
                "link set eth0 up",
                "route add default via %s".formatted(slot.gateway(node)));
        return cable;
    }

    public void removePod(int node, String uid, String cable) {
        Commands.ip(run.namespace(nodes.get(node)), "link del " + cable);
        Commands.run("umount", "--lazy", run.podNamespace(uid).toString());
        try {
            Files.deleteIfExists(run.podNamespace(uid));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path namespace(Path file) {
        try {
            Files.createDirectories(file.getParent());
            Files.createFile(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Commands.run("unshare", "--net=" + file, "true");
        return file;
    }
}
