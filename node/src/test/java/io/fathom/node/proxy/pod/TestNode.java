// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.proxy.pod;

import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.IpPort;
import io.fathom.model.routing.Balancer;
import io.fathom.model.routing.OutboundRouter;
import io.fathom.node.proxy.EndpointLoad;
import io.fathom.node.proxy.NameResolver;
import io.fathom.node.proxy.ProxyConfig;
import io.fathom.node.socket.Keepalive;
import io.fathom.node.socket.OwnSockets;
import io.fathom.node.socket.SocketConfig;
import io.fathom.node.socket.Sockets;
import io.fathom.node.socket.SteadyEpoll;
import io.fathom.node.telemetry.AccessFormat;
import io.fathom.node.telemetry.AccessLog;
import io.fathom.node.telemetry.NodeMetrics;
import io.fathom.node.telemetry.Telemetry;
import io.fathom.wire.hbone.HboneLimits;
import io.fathom.wire.hbone.HbonePool;
import io.fathom.wire.net.SocketAddresses;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.PeerRules;
import io.fathom.wire.zds.PodInfo;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// A node proxy with pods that live on loopback addresses of this process. Nothing is redirected: tests say where
/// connections to a pod's ports were going.
final class TestNode implements AutoCloseable {
    private static final String PREFIX =
            "127.77." + (int) (ProcessHandle.current().pid() % 250) + ".";

    final TestMesh mesh = new TestMesh();
    final TestCertificates certificates = new TestCertificates();
    final NodeMetrics metrics = new NodeMetrics("test");
    final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, new SteadyEpoll());
    final EndpointLoad load = new EndpointLoad();
    final NodeParts parts;
    final Sockets sockets = new OwnSockets(new SocketConfig(
            OptionalInt.empty(),
            SocketConfig.PortReuse.YES,
            SocketConfig.KeepSource.IF_POSSIBLE,
            SocketConfig.Families.BOTH,
            Optional.of(Keepalive.DEFAULT)));
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
    private final AccessLog log = new AccessLog(lines, AccessFormat.PLAIN);
    private final Map<Integer, IpPort> targets = new ConcurrentHashMap<>();
    private final List<AutoCloseable> closed = new ArrayList<>();
    private final MeshTls tls = new MeshTls(PeerRules.of(Set.of("cluster.local"), InstantSource.system()));
    volatile NameResolver names = (name, family) -> CompletableFuture.completedFuture(Optional.empty());

    TestNode() {
        this(ProxyConfig.DEFAULT);
    }

    TestNode(ProxyConfig base) {
        var config = base.network("n1");
        parts = new NodeParts(
                mesh,
                new OutboundRouter("n1", config.ports(), new Balancer(load)),
                load,
                (name, family) -> names.resolve(name, family),
                certificates,
                tls,
                HboneLimits.DEFAULT,
                new Telemetry(metrics, log, InstantSource.system()),
                loops,
                accepted -> targets.getOrDefault(
                        accepted.localAddress().getPort(), SocketAddresses.of(accepted.localAddress())),
                config);
    }

    /// An address that only this process uses.
    static String address(int last) {
        return PREFIX + last;
    }

    /// A pod with all listeners: HBONE where everybody expects it, the rest on free ports.
    ServedPod start(String pod, String address) {
        return start(pod, address, List.of());
    }

    ServedPod start(String pod, String address, List<PodPart> others) {
        var ports = new PodPorts(
                Ip.parse(address).orElseThrow(),
                OptionalInt.of(0),
                OptionalInt.of(0),
                OptionalInt.of(15008),
                OptionalInt.of(0));
        var proxy = ServedPod.start(new PodInfo("uid-" + pod, pod, "ns1", pod), sockets, ports, others, parts);
        closed.add(proxy);
        return proxy;
    }

    /// A pool that speaks HBONE to pods directly.
    HbonePool pool() {
        var pool = new HbonePool(parts.loopList(), sockets::stream, certificates, tls, HboneLimits.DEFAULT);
        closed.add(pool);
        return pool;
    }

    MeshTls tls() {
        return tls;
    }

    <T extends AutoCloseable> T closing(T resource) {
        closed.add(resource);
        return resource;
    }

    /// A client in the pod opens a connection to `target`.
    Socket connect(ServedPod pod, IpPort target) {
        return redirected(pod, pod.ports().outbound().orElseThrow(), target);
    }

    /// Somebody opens a plain connection to `target`, an address of the pod.
    Socket connectInbound(ServedPod pod, IpPort target) {
        return redirected(pod, pod.ports().captured().orElseThrow(), target);
    }

    private Socket redirected(ServedPod pod, int port, IpPort target) {
        targets.put(port, target);
        return socket(new IpPort(pod.ports().bind(), port));
    }

    Socket socket(IpPort address) {
        try {
            var socket = new Socket();
            closed.add(socket);
            socket.setSoTimeout(10_000);
            socket.connect(SocketAddresses.of(address), 5_000);
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The access log so far.
    List<String> lines() {
        return lines.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /// The sum of all series of a counter whose labels match.
    long counted(String name, String labels) {
        var wanted = Pattern.compile(labels);
        return metrics.openMetrics()
                .lines()
                .filter(line ->
                        line.startsWith(name + "{") && wanted.matcher(line).find())
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Override
    public void close() {
        for (var resource : closed.reversed()) {
            close(resource);
        }
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        log.close();
    }

    private static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static Duration within(int seconds) {
        return Duration.ofSeconds(seconds);
    }
}
