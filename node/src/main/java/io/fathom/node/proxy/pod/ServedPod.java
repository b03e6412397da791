// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import io.fathom.model.mesh.Workload;
import io.fathom.model.policy.PolicySet;
import io.fathom.model.routing.Balancer;
import io.fathom.model.routing.InboundConfig;
import io.fathom.model.routing.InboundRouter;
import io.fathom.model.routing.MeshView;
import io.fathom.node.inpod.PodProxy;
import io.fathom.node.proxy.ConnectionLedger;
import io.fathom.node.proxy.Dialer;
import io.fathom.node.proxy.LocalPod;
import io.fathom.node.proxy.MeshSource;
import io.fathom.node.proxy.inbound.CapturedAcceptor;
import io.fathom.node.proxy.inbound.HboneListener;
import io.fathom.node.proxy.inbound.Inbound;
import io.fathom.node.proxy.outbound.Outbound;
import io.fathom.node.proxy.outbound.Socks5Handler;
import io.fathom.node.socket.Sockets;
import io.fathom.wire.hbone.HbonePool;
import io.fathom.wire.zds.PodInfo;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The proxy of one pod: its listeners, the tunnels it opens and everything that is open. Started as a whole or not at
/// all. Runs on the event loops it is handed, which outlive it. Start, drain and close are for control threads.
public final class ServedPod implements PodProxy {
    private final NodeParts parts;
    private final LocalPod pod;
    private final ConnectionLedger ledger = new ConnectionLedger();
    private final Listeners listeners;
    private final HbonePool pool;
    private final List<PodPart.Running> running = new ArrayList<>();
    private final MeshSource.Subscription changes;
    private @Nullable HboneListener hbone;
    private @Nullable PolicySet policies;
    private Optional<Workload> workload = Optional.empty();
    private @Nullable PodPorts bound;

    private ServedPod(PodInfo info, Sockets sockets, NodeParts parts) {
        this.parts = parts;
        this.pod = new LocalPod(info, parts.mesh(), parts.config().workloadWait());
        this.listeners = new Listeners(sockets, parts.loops());
        this.pool = new HbonePool(parts.loopList(), sockets::stream, parts.certificates(), parts.tls(), parts.limits());
        this.changes = parts.mesh().onChange(this::recheck);
    }

    /// Binds every port, starts every part, and only then accepts.
    ///
    /// @throws io.fathom.base.lang.ProblemException if one of them fails; nothing is left behind then
    public static ServedPod start(
            PodInfo info, Sockets sockets, PodPorts ports, List<PodPart> others, NodeParts parts) {
        var proxy = new ServedPod(info, sockets, parts);
        try {
            proxy.open(sockets, ports, others);
        } catch (RuntimeException e) {
            proxy.close();
            throw e;
        }
        return proxy;
    }

    private void open(Sockets sockets, PodPorts ports, List<PodPart> others) {
        var config = parts.config();
        var outboundPort = bind(ports, ports.outbound());
        var capturedPort = bind(ports, ports.captured());
        var hbonePort = bind(ports, ports.hbone());
        var socksPort = bind(ports, ports.socks());
        Stream.of(outboundPort, capturedPort, socksPort)
                .flatMap(Optional::stream)
                .forEach(listener -> config.prepare(listener.channel()));
        bound = new PodPorts(ports.bind(), port(outboundPort), port(capturedPort), port(hbonePort), port(socksPort));
        for (var other : others) {
            running.add(other.start(pod, sockets));
        }
        var sources = sockets.canKeepSource() ? InboundConfig.Sources.KEPT : InboundConfig.Sources.REPLACED;
        var inbound = new Inbound(
                pod,
                new InboundRouter(
                        new InboundConfig(config.ports(), sources, config.tunnelDial()), new Balancer(parts.load())),
                new Dialer(sockets, config.connectTimeout()),
                pool,
                parts.load(),
                ledger,
                parts.telemetry(),
                parts.loops(),
                parts.destinations(),
                config);
        var outbound = new Outbound(
                pod,
                parts.router(),
                pool,
                new Dialer(sockets, config.connectTimeout()),
                parts.names(),
                ledger,
                parts.telemetry(),
                parts.loops(),
                parts.load(),
                parts.destinations(),
                config);
        var server = new HboneListener(inbound, parts.certificates(), parts.tls(), parts.limits());
        hbone = server;
        var captured = new CapturedAcceptor(inbound);
        outboundPort.ifPresent(listener -> listener.accept(outbound::captured));
        capturedPort.ifPresent(listener -> listener.accept((child, loop) -> captured.captured(child)));
        hbonePort.ifPresent(listener -> listener.accept((child, loop) -> server.accepted(child)));
        socksPort.ifPresent(listener -> listener.accept((child, loop) -> Socks5Handler.serve(child, outbound)));
    }

    private Optional<Listeners.PodListener> bind(PodPorts ports, OptionalInt port) {
        return port.isPresent() ? Optional.of(listeners.bind(ports.bind(), port.getAsInt())) : Optional.empty();
    }

    private static OptionalInt port(Optional<Listeners.PodListener> listener) {
        return listener.isPresent() ? OptionalInt.of(listener.get().port()) : OptionalInt.empty();
    }

    /// Where it listens: of those that were left to the kernel, what that chose.
    public PodPorts ports() {
        return Objects.requireNonNull(bound);
    }

    public PodInfo info() {
        return pod.info();
    }

    /// Ends what was opened with certificates that count no longer, and what waits to be used again.
    public void cutRevoked(Predicate<List<X509Certificate>> revoked) {
        ledger.cutRevoked(revoked);
        pool.cut(revoked);
        if (hbone != null) {
            hbone.cut(revoked);
        }
    }

    /// What is open, for the dump.
    public ConnectionLedger ledger() {
        return ledger;
    }

    /// Asks policies again about what is open, when they or the pod itself have changed.
    private void recheck(MeshView view) {
        var now = pod.in(view);
        if (view.policies() != policies || !now.equals(workload)) {
            policies = view.policies();
            workload = now;
            now.ifPresent(local -> ledger.recheck(view.policies(), local));
        }
    }

    /// Accepts nothing more and tells peers so. What was accepted still gets where it wants.
    @Override
    public CompletableFuture<Void> drain() {
        listeners.close();
        if (hbone != null) {
            hbone.drain();
        }
        return ledger.drained();
    }

    /// Ends everything at once.
    @Override
    public void close() {
        listeners.close();
        changes.close();
        pod.close();
        ledger.close();
        running.forEach(PodPart.Running::close);
        running.clear();
        if (hbone != null) {
            hbone.close();
        }
        pool.close();
    }
}
