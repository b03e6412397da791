// SPDX-License-Identifier: Apache-2.0
package io.fathom.tools.local;

import io.fathom.base.lang.ProblemException;
import io.fathom.base.posix.NamespaceThread;
import io.fathom.tools.local.dns.DnsServer;
import io.fathom.tools.local.net.LocalNetwork;
import io.fathom.tools.local.net.NodeSockets;
import io.fathom.tools.local.pod.AgentSocket;
import io.fathom.tools.local.pod.Kubelet;
import io.fathom.tools.local.pod.PodObject;
import io.fathom.wire.kube.folder.ObjectFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs a mesh until its process ends. What it made goes with the namespaces that the process is alone in: see
/// `bin/lib/up-init`.
public final class Engine {
    private static final Logger log = LoggerFactory.getLogger(Engine.class);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration FOR_TRAFFIC = Duration.ofSeconds(20);
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final int METRICS_PORT = 15020;
    private static final String ENCRYPTED = "connection_security_policy=\"mutual_tls\"";

    private final EngineConfig config;
    private final Progress progress;
    private final LocalNetwork network;
    private final Programs programs;
    private final List<NodeSockets> sockets = new ArrayList<>();

    private Engine(EngineConfig config, Progress progress, LocalNetwork network, Programs programs) {
        this.config = config;
        this.progress = progress;
        this.network = network;
        this.programs = programs;
    }

    /// Never returns, unless the mesh could not be started; then whoever waits has been told.
    public static void run(EngineConfig config) {
        var progress = new Progress(config.run().progress(), config.gone());
        guard(progress, () -> {
            var engine = create(config, progress);
            engine.finish(engine.start());
        });
    }

    /// Something that may go wrong for reasons of the machine.
    interface Work {
        void run() throws IOException;
    }

    /// Tells whoever waits when it fails.
    static void guard(Progress progress, Work work) {
        try {
            work.run();
        } catch (ProblemException e) {
            progress.end(
                    Progress.FAILED,
                    "bin/up: " + e.problem().message() + "\n  fix: "
                            + e.problem().fix());
        } catch (IOException | RuntimeException e) {
            log.atError().setCause(e).log("the mesh could not be started");
            progress.end(Progress.FAILED, "bin/up: " + e);
        }
    }

    /// Makes the network, and starts nothing.
    static Engine create(EngineConfig config, Progress progress) throws IOException {
        var run = config.run();
        for (var folder : List.of(run.logs(), run.tokens(), run.podNamespaces())) {
            Files.createDirectories(folder);
        }
        var network = LocalNetwork.create(run, config.nodes());
        Files.writeString(run.link(), network.slot().link() + "\n");
        progress.step("network: " + String.join(" and ", config.nodes()) + " in "
                + network.slot().block());
        return new Engine(config, progress, network, new Programs(config, network.slot()));
    }

    LocalNetwork network() {
        return network;
    }

    EngineConfig config() {
        return config;
    }

    /// Starts everything, and returns once all pods are ready.
    LocalCluster start() throws IOException {
        var run = config.run();
        var slot = network.slot();
        var objects = ObjectFiles.in(run.objects());
        var region = config.role().map(ClusterRole::id).orElse("here");
        for (int node = 0; node < config.nodes().size(); node++) {
            objects.put(PodObject.node(config.nodes().get(node), slot.node(node), region));
            objects.put(PodObject.proxy(config.nodes().get(node), slot.node(node)));
        }
        if (config.role().isPresent()) {
            ClusterFiles.prepare(config, config.role().get(), slot, programs.ports());
        }
        programs.startControlPlane();
        for (var node : config.nodes()) {
            programs.startAgent(node);
        }
        openSockets();
        var kubelet = new Kubelet(
                run,
                network,
                objects,
                new AgentSocket(run),
                sockets,
                config.bin().resolve("lib"),
                config.programs(),
                config.path(),
                InstantSource.system());
        var cluster = new LocalCluster(config, kubelet, programs);
        Thread.ofPlatform().name("reconcile").start(cluster::reconcileForEver);
        DnsServer.start(slot.machine(), cluster::names);
        await(
                "control plane",
                () -> Files.exists(run.rootCertificate())
                        && config.nodes().stream().allMatch(node -> Files.exists(run.token(node))));
        progress.step("control plane: fathomd on 127.0.0.1 and " + slot.machine() + ", port "
                + programs.ports().tls());
        for (int node = 0; node < config.nodes().size(); node++) {
            programs.startProxy(config.nodes().get(node), slot.node(node));
        }
        await("node agents", () -> config.nodes().stream().allMatch(node -> Files.exists(run.pluginSocket(node))));
        progress.step("node agents: " + String.join(", ", config.nodes()));
        await("pods", cluster::isReady);
        progress.step(cluster.summary());
        return cluster;
    }

    /// Makes the cluster a member of a fleet.
    void joinFleet(String server, String token) {
        programs.startFleetAgent(server, token);
    }

    /// Whether a node proxy has carried anything over mutual TLS, within a while.
    boolean awaitTraffic() {
        return waitFor(FOR_TRAFFIC, () -> sockets.stream().anyMatch(Engine::hasEncrypted));
    }

    private void finish(LocalCluster cluster) {
        var encrypted = awaitTraffic();
        progress.step(encrypted ? "traffic: the first request over mutual TLS was answered" : "traffic: none yet");
        progress.end(
                Progress.READY,
                new Farewell(config, cluster.workloads(), cluster.balanced(), cluster.problems())
                        .text(progress.seconds()));
    }

    /// Whether a node proxy has carried anything over mutual TLS.
    private static boolean hasEncrypted(NodeSockets node) {
        try {
            return node.get("127.0.0.1", METRICS_PORT, "/metrics", Duration.ofSeconds(2))
                    .lines()
                    .anyMatch(
                            line -> line.startsWith("istio_tcp_connections_opened_total{") && line.contains(ENCRYPTED));
        } catch (IOException _) {
            return false;
        }
    }

    private void openSockets() throws IOException {
        NodeSockets.warm();
        var traveller = NamespaceThread.start();
        for (var node : config.nodes()) {
            sockets.add(new NodeSockets(traveller, config.run().namespace(node)));
        }
    }

    private void await(String what, BooleanSupplier done) {
        if (!waitFor(PATIENCE, done)) {
            programs.unsteady().forEach(progress::step);
            progress.step("still waiting for the %s: see %2$s status and %2$s logs"
                    .formatted(what, config.run().up()));
            var _ = waitFor(Duration.ofDays(1), done);
        }
    }

    static boolean waitFor(Duration patience, BooleanSupplier done) {
        var deadline = System.nanoTime() + patience.toNanos();
        while (!done.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            try {
                TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
