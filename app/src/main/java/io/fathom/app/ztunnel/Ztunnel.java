// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.ztunnel;

import io.fathom.app.BuildInfo;
import io.fathom.app.memory.MemoryKeeper;
import io.fathom.base.lang.ProblemException;
import io.fathom.base.lang.SystemTimeline;
import io.fathom.base.posix.OpenFilesLimit;
import io.fathom.base.posix.PosixException;
import io.fathom.base.work.Parts;
import io.fathom.model.mesh.Ip;
import io.fathom.model.mesh.PodResolver;
import io.fathom.model.routing.Balancer;
import io.fathom.model.routing.OutboundRouter;
import io.fathom.node.dns.DnsConfig;
import io.fathom.node.dns.HostResolver;
import io.fathom.node.dns.ResolvConf;
import io.fathom.node.identity.RevocationFile;
import io.fathom.node.proxy.EndpointLoad;
import io.fathom.node.proxy.pod.NodeParts;
import io.fathom.node.proxy.pod.PodPart;
import io.fathom.node.socket.OriginalDestination;
import io.fathom.node.socket.OwnSockets;
import io.fathom.node.socket.SocketConfig;
import io.fathom.node.socket.SteadyEpoll;
import io.fathom.node.telemetry.AccessFormat;
import io.fathom.node.telemetry.AccessLog;
import io.fathom.node.telemetry.NodeMetrics;
import io.fathom.node.telemetry.Telemetry;
import io.fathom.wire.pki.AlternativeNames;
import io.fathom.wire.pki.TrustPool;
import io.fathom.wire.tls.MeshTls;
import io.fathom.wire.tls.PeerRules;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One running node proxy. Parts are started so that each finds what it needs, and stopped in reverse; pods are taken
/// only once the mesh is known.
final class Ztunnel implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Ztunnel.class);
    private static final Path RESOLVERS = Path.of("/etc/resolv.conf");
    private static final String STATE = "state manager";
    private static final String PROXY = "proxy";

    private final ZtunnelConfig config;
    private final Parts parts;
    private final Pods pods;
    private final CompletableFuture<Void> asked = new CompletableFuture<>();

    /// Returns when everything listens; the readiness port tells when pods are served.
    ///
    /// @throws ProblemException when a port or a capability is missing
    static Ztunnel start(ZtunnelConfig config) {
        var parts = new Parts();
        try {
            return new Ztunnel(config, parts);
        } catch (RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    private Ztunnel(ZtunnelConfig config, Parts parts) {
        this.config = config;
        this.parts = parts;
        raiseLimits();
        var pages = new NodePages(config, parts);
        var readiness = new Readiness();
        readiness.await(STATE);
        readiness.await(PROXY);
        pages.readiness(readiness);
        var metrics = new NodeMetrics(BuildInfo.current().text());
        var timeline = parts.keep(new SystemTimeline());
        var mesh = MeshLink.open(config, metrics, timeline, parts);
        var revocations =
                config.certificates().revocations().map(file -> parts.keep(new RevocationFile(file, timeline)));
        var revoked = revoked(revocations, mesh);
        var loops = loops();
        var random = new SecureRandom();
        var servers = new ResolverFile(RESOLVERS);
        var names =
                new HostResolver(loops.next(), new OwnSockets(config.capture().sockets()), servers, timeline, random);
        var load = new EndpointLoad();
        var nodeParts = new NodeParts(
                new LiveMesh(mesh.state()),
                new OutboundRouter(config.place().network(), config.proxy().ports(), new Balancer(load)),
                load,
                (name, family) -> names.resolve(name, family).thenApply(Ztunnel::found),
                new StoredCertificates(mesh.certificates()),
                new MeshTls(
                        new PeerRules(config.tls().aliases(), revoked, mesh.state()::trust, timeline),
                        config.tls().policy()),
                config.tunnels(),
                new Telemetry(metrics, accessLog(metrics), timeline),
                loops,
                OriginalDestination::of,
                config.proxy());
        var dns = new PodDns(
                loops,
                servers,
                dnsConfig(servers.get()),
                config.dns().addresses(),
                new DnsCounts(metrics),
                timeline,
                random);
        List<PodPart> podParts = config.dns().enabled() ? List.of(dns) : List.of();
        this.pods = new Pods(config, parts, nodeParts, podParts, metrics, readiness, timeline);
        revocations.ifPresent(file -> parts.keep(file.listen(_ -> pods.cutRevoked(revoked))));
        parts.keep(mesh.state().listenToTrust(() -> pods.cutRevoked(distrusted(mesh, timeline))));
        pages.admin(mesh, pods, metrics, () -> asked.complete(null));
        pages.metrics(metrics);
        var memory = parts.keep(new MemoryKeeper(timeline));
        var _ = mesh.state().ready().thenRun(() -> begin(readiness, memory)).exceptionally(this::giveUp);
    }

    private static void raiseLimits() {
        try {
            var _ = OpenFilesLimit.raise();
        } catch (PosixException e) {
            log.atWarn().addKeyValue("reason", e.getMessage()).log("the limit of open files stays as it is");
        }
    }

    private EventLoopGroup loops() {
        var group = new MultiThreadIoEventLoopGroup(
                config.process().threads(), new DefaultThreadFactory("ztunnel", true), new SteadyEpoll());
        parts.keep(() -> group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS));
        return group;
    }

    private AccessLog accessLog(NodeMetrics metrics) {
        var accessLog = parts.keep(new AccessLog(
                new FileOutputStream(FileDescriptor.out),
                config.process().logging().json() ? AccessFormat.JSON : AccessFormat.PLAIN));
        metrics.gauge("fathom_access_log_dropped", "Lines that did not fit into the queue", "", accessLog::dropped);
        return accessLog;
    }

    private static Predicate<List<X509Certificate>> revoked(Optional<RevocationFile> file, MeshLink mesh) {
        return chain -> file.map(RevocationFile::current)
                .filter(list -> !list.isEmpty())
                .flatMap(list -> list.revoked(chain, mesh.roots()))
                .isPresent();
    }

    /// Of a domain that is not trusted any more, or from a root that is not. That a certificate has only ended since,
    /// and maybe its root after it, is no reason.
    private Predicate<List<X509Certificate>> distrusted(MeshLink mesh, InstantSource clock) {
        return chain -> mesh.state()
                .trust()
                .filter(pool -> isDistrusted(pool, chain, clock.instant()))
                .isPresent();
    }

    private boolean isDistrusted(TrustPool pool, List<X509Certificate> chain, Instant now) {
        var domains = AlternativeNames.trustDomains(chain.getFirst());
        if (!Collections.disjoint(config.tls().aliases(), domains)) {
            return false;
        }
        var ended = chain.stream()
                .anyMatch(certificate -> certificate.getNotAfter().toInstant().isBefore(now));
        return ended
                ? domains.stream().anyMatch(domain -> pool.roots(domain).isEmpty())
                : pool.objection(chain, now).isPresent();
    }

    private static Optional<Ip> found(HostResolver.HostResolution resolution) {
        return switch (resolution) {
            case HostResolver.HostResolution.Found(var ip) -> Optional.of(ip);
            case HostResolver.HostResolution.Failed failed -> {
                log.atDebug().addKeyValue("problem", failed.problem()).log("an endpoint cannot be reached by name");
                yield Optional.empty();
            }
        };
    }

    /// A dedicated proxy is in the pod it is for, so the search domains there are the pod's own.
    private DnsConfig dnsConfig(ResolvConf own) {
        return new DnsConfig(
                config.place().clusterDomain(),
                Optional.of(config.place().preferredNamespace()).filter(name -> !name.isEmpty()),
                config.capture().sockets().families() == SocketConfig.Families.BOTH
                        ? DnsConfig.Ipv6.ON
                        : DnsConfig.Ipv6.OFF,
                config.dedicated().map(_ -> own.searchDomains()),
                PodResolver.NONE);
    }

    private void begin(Readiness readiness, MemoryKeeper memory) {
        log.atInfo().log("the mesh is known");
        memory.begin();
        pods.serve();
        readiness.done(PROXY);
        readiness.done(STATE);
    }

    private Void giveUp(Throwable cause) {
        log.atError().setCause(cause).log("pods cannot be served");
        asked.complete(null);
        throw new IllegalStateException(cause);
    }

    /// Done when somebody asked over HTTP to stop, or it cannot go on.
    CompletableFuture<Void> asked() {
        return asked;
    }

    /// Takes nothing more and waits for what is open, but not longer than agreed.
    void drain() {
        log.atInfo().addKeyValue("deadline", config.process().termination()).log("draining");
        try {
            pods.drain().get(config.process().termination().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            log.atInfo().log("connections are cut: the deadline has passed");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        parts.close();
    }
}
