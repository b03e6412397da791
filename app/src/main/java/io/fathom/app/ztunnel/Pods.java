// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.base.lang.Timeline;
import io.fathom.base.work.Parts;
import io.fathom.model.mesh.Ip;
import io.fathom.node.inpod.PodRegistry;
import io.fathom.node.inpod.PodStatus;
import io.fathom.node.inpod.ZdsSession;
import io.fathom.node.proxy.pod.NodeParts;
import io.fathom.node.proxy.pod.PodPart;
import io.fathom.node.proxy.pod.PodPorts;
import io.fathom.node.proxy.pod.PodStarter;
import io.fathom.node.proxy.pod.ServedPod;
import io.fathom.node.socket.OwnSockets;
import io.fathom.node.socket.PodSockets;
import io.fathom.node.socket.SocketConfig;
import io.fathom.node.telemetry.NodeMetrics;
import io.fathom.wire.zds.PodInfo;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The pods that are served: all of the node, or the one that a dedicated proxy is for. Any thread.
final class Pods {
    private static final Logger log = LoggerFactory.getLogger(Pods.class);
    private static final String TASK = "workload proxy manager";

    private final ZtunnelConfig config;
    private final Parts parts;
    private final NodeParts nodeParts;
    private final List<PodPart> podParts;
    private final List<ServedPod> own = new CopyOnWriteArrayList<>();
    private final Optional<PodRegistry> registry;

    /// Proves at once that pods can be served.
    Pods(
            ZtunnelConfig config,
            Parts parts,
            NodeParts nodeParts,
            List<PodPart> podParts,
            NodeMetrics metrics,
            Readiness readiness,
            Timeline timeline) {
        this.config = config;
        this.parts = parts;
        this.nodeParts = nodeParts;
        this.podParts = List.copyOf(podParts);
        if (config.dedicated().isPresent()) {
            registry = Optional.empty();
            return;
        }
        readiness.await(TASK);
        var sockets = parts.keep(PodSockets.start(config.capture().sockets()));
        registry = Optional.of(parts.keep(new PodRegistry(
                sockets,
                new PodStarter(ports(), podParts, nodeParts),
                timeline,
                new PodCounts(metrics, readiness, TASK))));
        serveOurselves();
    }

    /// Begins, now that the mesh is known.
    void serve() {
        config.dedicated().ifPresent(this::serveOne);
        registry.ifPresent(pods -> parts.keep(ZdsSession.start(
                config.capture().agent(),
                pods,
                problem -> log.atError().addKeyValue("problem", problem).log("the node agent broke the protocol"),
                RandomGenerator.getDefault())));
    }

    /// In a pod of its own: serves the namespace that it is in.
    private void serveOne(ZtunnelConfig.DedicatedTo pod) {
        var info = new PodInfo(pod.name(), pod.name(), pod.namespace(), pod.serviceAccount());
        own.add(parts.keep(
                ServedPod.start(info, new OwnSockets(config.capture().sockets()), ports(), podParts, nodeParts)));
    }

    /// We are a workload too: metrics can be had over HBONE.
    private void serveOurselves() {
        var us = config.own();
        if (config.capture().traffic() == ZtunnelConfig.PodTraffic.LEFT_ALONE) {
            return;
        }
        if (Stream.of(us.pod(), us.namespace(), us.serviceAccount()).anyMatch(String::isEmpty)) {
            return;
        }
        var info = new PodInfo(us.pod(), us.pod(), us.namespace(), us.serviceAccount());
        var sockets = new OwnSockets(config.capture().sockets().keeping(SocketConfig.KeepSource.NEVER));
        own.add(parts.keep(
                ServedPod.start(info, sockets, PodPorts.hboneOnly(config.wildcard()), List.of(), nodeParts)));
    }

    private PodPorts ports() {
        Ip everywhere = config.wildcard();
        if (config.capture().traffic() == ZtunnelConfig.PodTraffic.LEFT_ALONE) {
            return PodPorts.none(everywhere);
        }
        var ports = PodPorts.standard(everywhere);
        return config.capture().socks() == ZtunnelConfig.Socks.ON ? ports.withSocks() : ports;
    }

    List<PodStatus> statuses() {
        return registry.map(PodRegistry::pods)
                .orElseGet(() -> own.stream()
                        .<PodStatus>map(pod -> new PodStatus.Up(pod.info(), pod))
                        .toList());
    }

    /// Ends what was opened with certificates that are revoked by now.
    void cutRevoked(Predicate<List<X509Certificate>> revoked) {
        for (var status : statuses()) {
            if (status instanceof PodStatus.Up up && up.proxy() instanceof ServedPod pod) {
                pod.cutRevoked(revoked);
            }
        }
    }

    /// Takes nothing more. Done when everything that was open has ended.
    CompletableFuture<Void> drain() {
        var all = new ArrayList<CompletableFuture<Void>>();
        registry.ifPresent(pods -> all.add(pods.drain()));
        own.forEach(pod -> all.add(pod.drain()));
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    }
}
